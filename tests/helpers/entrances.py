"""Wrap each entrance for ratings in a function with the same signature.

An entrance is a function or command that computes kappa from ratings. Its wrapper accepts the
ratings of two raters as lists, with None for missing ratings, and returns the kappa of the counted
items. Each rule can therefore be tested on all entrances.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import fastkappa
from fastkappa import ConfusionAccumulator, Ratings, ThresholdEvaluator, optimal_thresholds
from tests.helpers.absent import library
from tests.helpers.command_line import CommandLine

pandas, polars, pyarrow = library("pandas"), library("polars"), library("pyarrow")
duckdb, parquet = library("duckdb"), library("pyarrow.parquet")


class Options(NamedTuple):
    """The options that a rule can be about."""

    labels: Sequence[Any] | None = None
    weights: str | None = None
    missing: str = "raise"


Kappa = Callable[[Any, Any, Options], float | None]


def said_apart(text: str, n_items: int) -> None:
    """Warn about items that are counted separately in a result, where users can see them."""
    if n_items:
        warnings.warn(f"{n_items} {text}", UserWarning, stacklevel=1)


def of_counts(counts: Any, weights: str | None) -> float:
    said_apart("outside the labels", counts.n_outside)
    return float(fastkappa.kappa_from_confusion(counts.table, weights=weights))


def agreement(y1: Any, y2: Any, options: Options) -> float:
    found = fastkappa.agreement(y1, y2, **options._asdict())
    said_apart("outside the labels", found.n_outside)
    return float(found.kappa)


def agreement_by(y1: Any, y2: Any, options: Options) -> float:
    groups = ["all"] * len(y1)
    found = fastkappa.agreement_by(y1, y2, groups=groups, **options._asdict())
    said_apart("outside the labels", found["all"].n_outside)
    return float(found["all"].kappa)


def confusion_counts(y1: Any, y2: Any, options: Options) -> float:
    return of_counts(fastkappa.confusion_counts(y1, y2, labels=options.labels), options.weights)


def accumulator(y1: Any, y2: Any, options: Options) -> float:
    total = ConfusionAccumulator(labels=options.labels)
    total.update(y1, y2, missing=options.missing)
    said_apart("outside the labels", total.n_outside)
    return float(total.kappa(weights=options.weights))


def accumulator_by_item(y1: Any, y2: Any, options: Options) -> float:
    total = ConfusionAccumulator(labels=options.labels)
    for first, second in zip(y1, y2):
        total.update([first], [second], missing=options.missing)
    said_apart("outside the labels", total.n_outside)
    return float(total.kappa(weights=options.weights))


def leaderboard(y1: Any, y2: Any, options: Options) -> float:
    board = fastkappa.leaderboard(
        y1, {"one": y2}, n_resamples=0, min_coverage=0.5, **options._asdict()
    )
    if options.labels is not None:
        said_apart("outside the labels", len(y1) - board.n[0])
    return float(board.kappa[0])


def score_many(y1: Any, y2: Any, options: Options) -> float:
    found = fastkappa.score_many(y1, {"one": y2}, **options._asdict())
    said_apart("outside the labels", found.n_outside[0])
    return float(found.kappas[0])


def compare_predictions(y1: Any, y2: Any, options: Options) -> float:
    found = fastkappa.compare_predictions(
        y2, y2, y_true=y1, interval_method="asymptotic", **options._asdict()
    )
    said_apart("outside the labels", found.n_outside)
    return float(found.kappas[0])


def several(ratings: Any, options: Options, **labels: Any) -> float:
    found = fastkappa.pairwise_kappa(ratings, weights=options.weights, **labels)
    said_apart("missing", int(found.n_missing[0, 1]))
    return float(found.mean)


def columns_of_raters(y1: Any, y2: Any, options: Options) -> float:
    return several(Ratings.from_raters({"a": y1, "b": y2}, labels=options.labels), options)


def rows_of_items(y1: Any, y2: Any, options: Options) -> float:
    return several([list(pair) for pair in zip(y1, y2)], options, labels=options.labels)


def long_list(y1: Any, y2: Any, options: Options) -> float:
    n_items = len(y1)
    ratings = Ratings.from_long(
        item=[*range(n_items)] * 2,
        rater=["a"] * n_items + ["b"] * n_items,
        rating=[*y1, *y2],
        labels=options.labels,
    )
    return several(ratings, options)


def optimum(y1: Any, y2: Any, options: Options) -> None:
    optimal_thresholds(y1, scores_for(y2), labels=options.labels)


def evaluator(y1: Any, y2: Any, options: Options) -> None:
    ThresholdEvaluator(y1, scores_for(y2), labels=options.labels)


def decoder(y1: Any, y2: Any, options: Options) -> None:
    distinct = [*(options.labels or sorted(set(y1), key=str))]
    beliefs = np.eye(len(distinct))[[hash(label) % len(distinct) for label in y1]]
    fastkappa.estimators.KappaDecoder(labels=options.labels, calibration=None).fit(beliefs, y1)


def scores_for(y2: Any) -> np.ndarray:
    """Return scores for the items, for entrances that read the ratings of only one rater."""
    return np.linspace(0.0, 1.0, len(y2))


def scorer(y1: Any, y2: Any, options: Options) -> float:
    labels = options.labels or sorted({*y1, *y2})
    score = fastkappa.compile_scorer(labels, weights=options.weights)
    return float(score(np.array(y1, np.int64), np.array(y2, np.int64)))


def jit(y1: Any, y2: Any, options: Options) -> float:
    pytest.importorskip("numba")
    from fastkappa import jit

    labels = [*(options.labels or sorted({*y1, *y2}))]
    lowest = min(labels)
    first, second = np.array(y1) - lowest, np.array(y2) - lowest
    table = jit.confusion_matrix(first, second, max(labels) - lowest + 1)
    return float(jit.kappa_from_confusion(table, options.weights))


def source(make: Callable[[Any, Any], Any]) -> Kappa:
    """Return the entrance for a source that ``make`` creates from two columns."""

    def kappa(y1: Any, y2: Any, options: Options) -> float:
        counts = fastkappa.confusion_from_source(make(y1, y2), "a", "b", labels=options.labels)
        if options.missing == "raise":
            said_apart("missing", counts.n_dropped)
        return of_counts(counts, options.weights)

    return kappa


def mapping(y1: Any, y2: Any) -> Any:
    return {"a": y1, "b": y2}


def pandas_frame(y1: Any, y2: Any) -> Any:
    return pandas.DataFrame(mapping(y1, y2))


def polars_frame(y1: Any, y2: Any) -> Any:
    return polars.DataFrame(mapping(y1, y2))


def table(y1: Any, y2: Any) -> Any:
    return pyarrow.table(mapping(y1, y2))


def relation(y1: Any, y2: Any) -> Any:
    connection = duckdb.connect()
    connection.register("ratings", table(y1, y2))
    return connection.table("ratings")


def csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *zip(*columns.values())])
    return text.getvalue()


def of_file(read: Callable[[Path, Options], float | None], name: str = "ratings.csv") -> Kappa:
    """Return the entrance that reads a file with an id and two columns, a and b."""

    def kappa(y1: Any, y2: Any, options: Options) -> float | None:
        ids = ["id" if pair == ("a", "b") else i for i, pair in enumerate(zip(y1, y2))]
        columns = {"id": ids, **mapping(y1, y2)}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            if path.suffix == ".parquet":
                parquet.write_table(table(y1, y2), path)
            else:
                path.write_text(csv_text(columns), encoding="utf-8")
            return read(path, options)

    return kappa


def counted_file(path: Path, options: Options) -> float | None:
    return source(lambda y1, y2: path)(None, None, options)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def long_file(path: Path) -> Path:
    """Write the ratings of a file with one line per rating."""
    rows = rows_of(path)
    long = path.with_name("long.csv")
    columns = {
        "item": [row["id"] for row in rows] * 2,
        "rater": ["a"] * len(rows) + ["b"] * len(rows),
        "rating": [row["a"] for row in rows] + [row["b"] for row in rows],
    }
    long.write_text(csv_text(columns), encoding="utf-8")
    return long


def submission(path: Path) -> Path:
    """Write the second rater's ratings as a submission, to be scored against the first's."""
    rows = rows_of(path)
    submitted = path.with_name("submitted.csv")
    columns = {"id": [row["id"] for row in rows], "a": [row["b"] for row in rows]}
    submitted.write_text(csv_text(columns), encoding="utf-8")
    return submitted


def annotators(path: Path) -> tuple[Path, Path]:
    """Write one file per rater, named after the rater's column."""
    rows, folder = rows_of(path), path.with_name("annotators")
    folder.mkdir()
    files = folder / "a.csv", folder / "b.csv"
    for name, file in zip("ab", files):
        columns = {"id": [row["id"] for row in rows], "rating": [row[name] for row in rows]}
        file.write_text(csv_text(columns), encoding="utf-8")
    return files


def scores_file(path: Path) -> Path:
    """Write the ratings of the first rater with scores."""
    rows = rows_of(path)
    scored = path.with_name("scores.csv")
    columns = {"a": [row["a"] for row in rows], "score": scores_for(rows).tolist()}
    scored.write_text(csv_text(columns), encoding="utf-8")
    return scored


def command(
    arguments: Callable[[Path], tuple[Any, ...]], kappa: Callable[[Any], float | None]
) -> Callable[[Path, Options], float | None]:
    """Return a function that runs a command, warns with its messages and returns its kappa."""

    def read(path: Path, options: Options) -> float | None:
        name, *own = arguments(path)
        if options.labels is not None:
            own += ["--labels", ",".join(map(str, options.labels))]
        if options.weights is not None:
            own += ["--weights", options.weights]
        if options.missing == "drop":
            own += ["--missing", "drop"]
        if name == "agree":
            # The tested rules concern only kappa, and the default intervals would take most of the
            # time.
            own += ["--interval-method", "asymptotic"]
        done = CommandLine(name).run(*own, "--format", "json")
        if done.exit_code:
            raise ValueError(done.stderr or done.stdout)
        for line in done.stderr.splitlines():
            # The command prints kappas with all weights, so it warns about the order of the labels
            # even if no weights were chosen.
            if options.weights is not None or "order of the labels" not in line:
                warnings.warn(line, UserWarning, stacklevel=1)
        found = json.loads(done.stdout)
        value = kappa(found)
        if options.labels is not None:
            said_apart("outside the labels", len(rows_of(path)) - found.get("n", 0))
        return value

    return read


def kappa_of_submission(found: Any) -> float:
    row = found["rows"][0]
    if row["failure"]:
        raise ValueError(row["failure"])
    found["n"] = row["n"]
    return float(row["kappa"])


score = command(lambda path: ("score", path, "--y1", "a", "--y2", "b"), lambda f: f["kappa"])
agree = command(lambda path: ("agree", path, "--raters", "a", "b"), lambda f: f["kappa"])
agree_long = command(
    lambda path: (
        "agree",
        long_file(path),
        *("--item", "item", "--rater", "rater", "--rating", "rating"),
    ),
    lambda f: f["kappa"],
)
agree_files = command(lambda path: ("agree", *annotators(path), "--id", "id"), lambda f: f["kappa"])
agree_clusters = command(
    lambda path: ("agree", path, "--raters", "a", "b", "--cluster", "id"), lambda f: f["kappa"]
)
rank = command(
    lambda path: ("leaderboard", path, submission(path), "--id", "id", "--target", "a"),
    kappa_of_submission,
)
thresholds = command(
    lambda path: ("thresholds", scores_file(path), "--y", "a", "--score", "score"), lambda f: None
)

# The kinds of ratings that an entrance can accept. "mixed": numbers and strings in the same column.
# "found labels": the labels are not given. "columns": one column per rater. "in order": the first
# row is known. "in rows": all rows are known at once. "names": the names of the columns are known.
NUMBERS = frozenset({"numbers"})
LONG = frozenset({"numbers", "strings", "missing", "mixed", "found labels"})
LISTS = LONG | {"columns", "in order", "in rows"}
ENGINE = frozenset({"numbers", "strings", "missing", "found labels", "columns", "names"})
FRAME = ENGINE | {"in order", "in rows"}
TEXT = LISTS | {"names"}


class Entrance(NamedTuple):
    """A function or command that computes kappa from ratings.

    Attributes
    ----------
    kappa : callable
    takes : frozenset
        The kinds of ratings that it accepts.
    reads_both : bool
        Whether it reads the ratings of two raters, and so computes a kappa.
    drops : bool
        Whether missing ratings can be left out.
    has_weights : bool
        Whether it receives the weights. Otherwise, it only counts the ratings.
    """

    kappa: Kappa
    takes: frozenset[str] = LISTS
    reads_both: bool = True
    drops: bool = True
    has_weights: bool = True


ENTRANCES = {
    "agreement": Entrance(agreement),
    "agreement_by": Entrance(agreement_by),
    "confusion_counts": Entrance(confusion_counts, drops=False, has_weights=False),
    "ConfusionAccumulator": Entrance(accumulator),
    "ConfusionAccumulator, item by item": Entrance(accumulator_by_item, LONG),
    "leaderboard": Entrance(leaderboard),
    "score_many": Entrance(score_many),
    "compare_predictions": Entrance(compare_predictions),
    "Ratings.from_raters": Entrance(columns_of_raters, drops=False),
    "rows of items": Entrance(rows_of_items, drops=False),
    "Ratings.from_long": Entrance(long_list, LONG, drops=False),
    "optimal_thresholds": Entrance(optimum, reads_both=False, drops=False),
    "ThresholdEvaluator": Entrance(evaluator, reads_both=False, drops=False),
    "KappaDecoder": Entrance(decoder, reads_both=False, drops=False),
    "compile_scorer": Entrance(scorer, NUMBERS, drops=False),
    "jit": Entrance(jit, NUMBERS, drops=False),
    "mapping": Entrance(source(mapping), FRAME, has_weights=False),
    "pandas": Entrance(source(pandas_frame), FRAME, has_weights=False),
    "polars": Entrance(source(polars_frame), FRAME, has_weights=False),
    "Arrow": Entrance(source(table), FRAME, has_weights=False),
    "DuckDB": Entrance(source(relation), ENGINE, has_weights=False),
    "Parquet": Entrance(of_file(counted_file, "ratings.parquet"), FRAME, has_weights=False),
    "CSV": Entrance(of_file(counted_file), TEXT, has_weights=False),
    "score": Entrance(of_file(score), TEXT),
    "agree": Entrance(of_file(agree), TEXT),
    "agree, long": Entrance(of_file(agree_long), LONG),
    "agree, a file each": Entrance(of_file(agree_files), LONG),
    "agree, clusters": Entrance(of_file(agree_clusters), TEXT),
    "leaderboard of files": Entrance(of_file(rank), TEXT),
    "thresholds": Entrance(of_file(thresholds), TEXT - {"names"}, reads_both=False),
}

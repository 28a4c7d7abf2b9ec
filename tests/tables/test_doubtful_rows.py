"""Parts of a column that a spreadsheet or tool changed cause a warning; ordinary rows do not."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    agreement,
    cohen_kappa_score,
    confusion_counts,
    confusion_from_source,
    fleiss_kappa,
    leaderboard,
    score_many,
)
from fastkappa.formatting import percent_text
from fastkappa.ratings.column import Column
from fastkappa.tables.doubtful_orders import judge_codes, judge_order, may_be_doubtful
from tests.helpers.command_line import CommandLine, write_csv
from tests.tables.test_sorted_alone import SHIFTED

RNG = np.random.default_rng(7)
N = 280
TRUTH = RNG.choice(4, N, p=[0.3, 0.3, 0.25, 0.15])
FIRST, SECOND = (np.where(RNG.random(N) < 0.75, TRUTH, RNG.integers(0, 4, N)) for _ in "ab")
ROWS = np.arange(N)
IS_RATED = (ROWS == 0) | (RNG.random(N) < 0.55)
# The row from which a column filled down has the rating of each row.
FROM = np.maximum.accumulate(np.where(IS_RATED, ROWS, 0))

CHANGED = {
    "deleted": np.append(np.delete(SECOND, 110), 0),
    "inserted": np.insert(SECOND, 110, 3)[:N],
    "deleted, later inserted": np.insert(np.delete(SECOND, 70), 209, 3),
    "filled down": np.where(ROWS < 180, SECOND, SECOND[180]),
    "preset": np.where(ROWS < 70, 2, SECOND),
    "stuck": np.where((ROWS >= 120) & (ROWS < 170), 2, SECOND),
    "copied": np.where((ROWS >= 90) & (ROWS < 200), FIRST, SECOND),
    "filled from above": SECOND[FROM],
}


def length_of_run(values: Any) -> int:
    return len([*takewhile(lambda value: value == values[0], values)])


def said_of(changed: str) -> str:
    """Return the expected warning, with figures from the definitions."""
    second = CHANGED[changed]
    if changed in ("deleted", "inserted"):
        how = "down" if changed == "deleted" else "up"
        return rf"from about position 1[01]\d on: unweighted kappa of these.* moved one row {how}"
    if changed == "deleted, later inserted":
        return r"from about position [67]\d to 2[012]\d: unweighted kappa of these .* row down"
    if changed == "filled down":
        return f"has the same rating for the last {length_of_run(second[::-1])} items"
    if changed == "preset":
        # A frame lacks the first rating.
        return f"has the same rating for the first ({length_of_run(second)}|69) items"
    if changed == "stuck":
        runs = [len([*own]) for _, own in groupby(second.tolist())]
        where = f"{max(runs)} items from position {sum(runs[: runs.index(max(runs))])}"
        return f"has the same rating for the {where}, but"
    if changed == "copied":
        runs = [(same, len([*own])) for same, own in groupby((second == FIRST).tolist())]
        longest = max(n for same, n in runs if same)
        start = sum(n for _, n in runs[: runs.index((True, longest))])
        n_same = sum(n for same, n in runs if same) - longest
        where = f"all {longest} items from position {start} to {start + longest - 1}"
        # A frame lacks the first rating.
        agreed = n_same / (N - longest), (n_same - runs[0][0]) / (N - 1 - longest)
        return f"{where}, but on only ({'|'.join(map(percent_text, agreed))}) of the others"
    found = []
    for start in (1, 2):
        rows = [i for i in range(start, N) if FIRST[i] != second[i]]
        again = [sum(own[i] == own[i - 1] for i in rows) for own in (FIRST, second)]
        found.append(
            rf"in {again[1]} of {len(rows)} disagreements, .* above, .* in only {again[0]}\."
        )
    return "|".join(found)


@pytest.mark.filterwarnings("ignore:.* agree on all .* items, but other pairs")
@pytest.mark.parametrize("call", SHIFTED.values(), ids=SHIFTED)
@pytest.mark.parametrize("changed", CHANGED)
def test_a_part_that_was_changed(changed: str, call: Any, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=said_of(changed)):
        call(FIRST, CHANGED[changed], tmp_path)
    if changed in ("filled down", "preset", "stuck", "filled from above"):
        labels = np.array([*"abcd"])
        with pytest.warns(UserWarning, match=said_of(changed)):
            call(labels[FIRST], labels[CHANGED[changed]], tmp_path)


def test_kappas_of_a_shifted_part() -> None:
    with pytest.warns(UserWarning, match="seems to be shifted") as caught:
        confusion_counts(FIRST, CHANGED["deleted"])
    text = str(caught[0].message)
    found = re.search(r"position (\d+) on: .* is (\S+), and would be (\S+) with", text)
    assert found is not None
    start, given, better = map(float, found.groups())
    rows = slice(int(start), None)
    first, second = FIRST[rows], CHANGED["deleted"][rows]
    assert given == pytest.approx(cohen_kappa_score(first, second), abs=0.02)
    assert better == pytest.approx(cohen_kappa_score(first[1:], second[:-1]), abs=0.02)


def test_a_shift_of_similar_neighbors_is_not_found() -> None:
    # Both eyes of a patient mostly have the same grade, so a shift leaves kappa at half its value.
    rng = np.random.default_rng(0)
    left = rng.integers(0, 4, 200)
    right = np.where(rng.random(200) < 0.8, left, rng.integers(0, 4, 200))
    eyes = np.column_stack([left, right]).ravel()
    shifted = np.roll(eyes, 1)
    assert 0.3 < cohen_kappa_score(eyes, shifted) < 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(eyes, shifted)


def test_the_other_rater_is_named() -> None:
    for changed in ("filled down", "filled from above"):
        with pytest.warns(UserWarning, match="y1 (repeats the rating|has the same rating) .* y2"):
            confusion_counts(CHANGED[changed], FIRST)


def sets_of(first: Any, second: Any) -> None:
    fleiss_kappa(Ratings.from_raters({"y1": first.tolist(), "y2": second}))


def frame_of(first: Any, second: Any) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    confusion_from_source(pd.DataFrame({"y1": first, "y2": second}, dtype=object), "y1", "y2")


@pytest.mark.parametrize("call", [sets_of, frame_of])
def test_missing_ratings_are_no_run(call: Callable[..., None]) -> None:
    blank = [None if i >= 150 else x for i, x in enumerate(SECOND.tolist())]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(FIRST, blank)
    # Positions include rows with missing ratings.
    second = CHANGED["copied"].tolist()
    second[:20] = [None] * 20
    with pytest.warns(UserWarning, match=said_of("copied").partition("items ")[2][:20]):
        call(FIRST, second)


def test_codes_for_missing_ratings_are_no_run(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    blank = np.where(ROWS < 150, SECOND, 9)
    path = write_csv(tmp_path / "r.csv", a=FIRST, b=blank)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_from_source(path, "a", "b", missing_codes=[9])
        confusion_from_source({"a": FIRST, "b": blank}, "a", "b", missing_codes=[9])
        confusion_from_source({"a": FIRST, "b": blank}, "a", "b", labels=[0, 1, 2, 3])


def written(folder: Path, kind: str) -> Path:
    """Write three exports, each with all rows of the previous one."""
    rating_files = pytest.importorskip("tests.helpers.rating_files")
    for month, n in enumerate((60, 130, 200)):
        columns = {"a": FIRST[:n], "b": SECOND[:n]}
        if kind == "csv":
            write_csv(folder / f"{month}.csv", **columns)
        else:
            table = rating_files.pa.table(columns)
            rating_files.parquet.write_table(table, folder / f"{month}.parquet", row_group_size=25)
    return folder


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_exports_that_contain_the_earlier_export(kind: str, tmp_path: Path) -> None:
    folder = written(tmp_path, kind)
    repeated = (
        "the 60 items starting at position 60 have the same ratings in column 'a' and column 'b'"
        " as the first 60 items"
    )
    for num_threads in (1, 2):
        with pytest.warns(UserWarning, match=repeated):
            confusion_from_source(folder, "a", "b", num_threads=num_threads)
    for command in (["score", "--y1", "a", "--y2", "b"], ["agree", "--raters", "a", "b"]):
        run = CommandLine(command[0]).run(folder, *command[1:])
        assert repeated in " ".join(run.stderr.split())


def test_batches_of_a_stream_are_judged_together() -> None:
    pa = pytest.importorskip("pyarrow")
    rows = pa.table({"a": FIRST, "b": CHANGED["filled down"]})
    batches = rows.to_batches(max_chunksize=40)
    with pytest.warns(UserWarning, match=said_of("filled down")):
        confusion_from_source(iter(batches), "a", "b")


def smooth(n: int, rng: Any) -> Any:
    """Return a slowly changing series."""
    return np.interp(np.arange(n), np.linspace(0, n, n // 50 + 2), rng.normal(size=n // 50 + 2))


# The true labels of n items in an order, as a function of their proportions.
ORDERS: dict[str, Callable[[int, Any, Any], Any]] = {
    "random": lambda n, p, rng: rng.choice(len(p), n, p=p),
    "blocks": lambda n, p, rng: np.repeat(rng.choice(len(p), n, p=p), rng.integers(2, 6))[:n],
    "sorted": lambda n, p, rng: np.sort(rng.choice(len(p), n, p=p)),
    "sorted by another column": lambda n, p, rng: np.digitize(
        np.sort(rng.random(n)) + rng.normal(0, 0.2, n), np.cumsum(p)[:-1]
    ),
    "sessions": lambda n, p, rng: np.digitize(
        smooth(n, rng) + rng.normal(size=n), np.linspace(-1, 1, len(p) - 1)
    ),
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_ordinary_rows_are_seldom_warned_of(order: Any) -> None:
    rng = np.random.default_rng(11)
    found: Counter[str] = Counter()
    for _ in range(100):
        n, n_labels = int(rng.integers(60, 1500)), int(rng.integers(2, 8))
        p = rng.dirichlet(np.full(n_labels, 2.0))
        truth, accuracies = order(n, p, rng), rng.choice([0, 0.4, 0.7, 0.9, 0.97], 2)
        first, second = (
            np.where(rng.random(n) < each, truth, rng.choice(n_labels, n, p=p))
            for each in accuracies
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            judge_codes(first, second, None, ("a", "b"))
        found.update(str(one.message) for one in caught)
    assert not found


ORDINARY = {
    # Two eyes per patient, and an expert beside a beginner.
    "clusters": (np.repeat(TRUTH, 2), np.where(np.arange(2 * N) % 3, np.repeat(TRUTH, 2), 1)),
    "sorted by the second": (FIRST[np.argsort(SECOND, kind="stable")], np.sort(SECOND)),
    "sorted by agreement": tuple(
        own[np.argsort(FIRST != SECOND, kind="stable")] for own in (FIRST, SECOND)
    ),
    "one frequent label": (FIRST * (RNG.random(N) < 0.05), SECOND * (RNG.random(N) < 0.05)),
    "rows repeated often": (np.tile(FIRST[:9], 40), np.tile(SECOND[:9], 40)),
    "copies": (FIRST, FIRST),
    "ids": (ROWS, SECOND),
}


@pytest.mark.parametrize(("first", "second"), ORDINARY.values(), ids=ORDINARY)
def test_ordinary_rows_are_silent(first: Any, second: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judge_codes(first, second, None, ("a", "b"))


def test_repeated_rows_are_reported_before_copied_ratings() -> None:
    """Weekly exports begin with the rows of earlier weeks, and the raters agree in the last one."""
    first = np.concatenate([FIRST[:120], FIRST[:240], FIRST[:120], FIRST[:240], FIRST[:140]])
    second = np.concatenate([SECOND[:120], SECOND[:240], SECOND[:120], SECOND[:240], FIRST[:140]])
    with pytest.warns(UserWarning, match="as the first 120 items"):
        confusion_counts(first, second)


@pytest.mark.parametrize("labels", [np.arange(4), np.array(["a", "c", "b", "d"])], ids=str)
def test_each_changed_column_is_found_among_many(labels: Any) -> None:
    truth = np.append(np.arange(4), FIRST)
    predictions = {"ordinary": np.append(np.arange(4), SECOND)}
    predictions |= {name: np.append(np.arange(4), own) for name, own in CHANGED.items()}
    predictions |= {"sorted": np.sort(FIRST[RNG.permutation(N + 4) % N])}
    codes = {name: Column(own, own.dtype, labels.tolist()) for name, own in predictions.items()}
    if labels.dtype.kind == "i":
        codes = {name: Column(own, own.dtype) for name, own in predictions.items()}
    reference = codes["ordinary"]._replace(values=truth)
    pairs = [(reference, own) for own in codes.values()]
    found = dict(zip(codes, may_be_doubtful(pairs, 4).tolist()))
    assert found == {name: name != "ordinary" for name in codes}
    assert may_be_doubtful(pairs[:1] * 20 + pairs[1:], 4).sum() == len(pairs) - 1


def test_a_short_run_in_a_long_column_is_found_among_many() -> None:
    """The run is so short that it hardly changes the number of repeats in the column."""
    truth = RNG.integers(0, 4, 3000)
    predictions = [np.where(RNG.random(3000) < 0.8, truth, RNG.integers(0, 4, 3000)) for _ in "ab"]
    predictions[0][250:276] = 2
    run = r"the same rating for the 2[6-9] items from position 2[45]\d"
    for call in (
        lambda: agreement(truth, predictions[0]),
        lambda: score_many(truth, np.stack(predictions, axis=1)),
        lambda: leaderboard(truth, dict(zip("ab", predictions)), n_resamples=0),
    ):
        with pytest.warns(UserWarning, match=run) as caught:
            call()
        assert len(caught) == 1


def test_all_columns_that_cause_a_warning_are_found_among_many() -> None:
    n_warned = 0
    for n in (19, 20, 29, 30, 31, 64, 200, 1000):
        for n_labels in (2, 3, 300):
            first = np.sort(RNG.integers(0, n_labels, n)) if n % 2 else RNG.integers(0, n_labels, n)
            reference = Column(first, first.dtype)
            seconds = [np.where(RNG.random(n) < p, first, first[::-1]) for p in (0, 0.5, 0.9, 1)]
            seconds += [np.roll(own, 1) for own in seconds] + [np.sort(own) for own in seconds]
            seconds += [np.tile(first[: n // 2 + 1], 2)[:n], np.repeat(first[: n // 2 + 1], 2)[:n]]
            pairs = [(reference, Column(own, own.dtype)) for own in seconds]
            for pair, may_be in zip(pairs, may_be_doubtful(pairs, n_labels)):
                table = np.zeros((n_labels, n_labels), np.int64)
                np.add.at(table, (first, pair[1].values), 1)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    warned = judge_order(table, *pair, is_reference=True)
                assert may_be or not warned
                n_warned += warned
    assert n_warned > 5

"""Every result: its printed report, HTML, dictionary and data frame."""

from __future__ import annotations

import inspect
import json
import math
import re
import typing
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas
import pytest

import fastkappa
from fastkappa.planning.kappa_studies import kappa_study
from fastkappa.planning.plan import plan_study
from fastkappa.results.result import Result
from fastkappa.statistics import indices
from fastkappa.thresholds.rounding import find_rounding
from fastkappa.thresholds.rounding_report import RoundingReport
from fastkappa.two_raters.table_kappas import TableKappas
from tests.helpers.public import public_objects

LONG = "a very long label that nobody can print in a column " * 2
WIDE = "糖尿病網膜症の重症度分類"
SCRIPT = "<script>alert('&')</script>"
LABELS = [LONG, WIDE, SCRIPT]
CODES = np.random.default_rng(1).integers(0, 3, (3, 60))
RATINGS = np.array(LABELS)[CODES]
RATERS = {f"{SCRIPT} {i}": column for i, column in enumerate(RATINGS)}
TABLE = [[10, 2, 1], [3, 20, 4], [0, 5, 15]]
# Measurements whose sizes and differences need many characters.
MEASURED = pandas.DataFrame(
    np.random.default_rng(2).lognormal(0, 9, (50, 3)) * -1e9, columns=[SCRIPT, LONG, WIDE]
)
METHODS = (MEASURED[SCRIPT], MEASURED[LONG])


def pair() -> Any:
    return fastkappa.agreement_from_confusion(TABLE, labels=LABELS)


def frame() -> pandas.DataFrame:
    return pandas.DataFrame({"a": RATINGS[0], "b": RATINGS[1]})


def board() -> Any:
    return fastkappa.leaderboard(RATINGS[0], RATERS, n_resamples=50, rng=0)


def counts() -> Any:
    return fastkappa.confusion_counts(RATINGS[0], RATINGS[1], labels=LABELS)


def rounding() -> Any:
    y, scores = RATINGS[0], CODES[0] + np.linspace(0, 0.9, 60)
    found = find_rounding(y, scores, labels=LABELS, rng=np.random.default_rng(0))
    return RoundingReport.of(found, y, scores, "quadratic", "spline", SCRIPT)


# One result of each class, in its most demanding form.
RESULTS: dict[str, Callable[[], Any]] = {
    "AgreementResult": pair,
    "AlternativeAnnotatorTest": lambda: fastkappa.alternative_annotator_test(
        fastkappa.Ratings.from_raters(RATERS), 0
    ),
    "BootstrapResult": lambda: fastkappa.bootstrap(pair(), n_resamples=99, rng=0),
    "CoefficientDifference": lambda: fastkappa.compare_coefficients(
        fastkappa.fleiss_kappa(RATINGS.T), fastkappa.gwet_ac1(RATINGS.T)
    ),
    "ConcordanceResult": lambda: fastkappa.measurements.concordance_correlation(*METHODS),
    "ConfusionCounts": counts,
    "CorrectedPrevalence": lambda: fastkappa.rogan_gladen(23, 150, [[89, 11], [4, 96]]),
    "DecodingResult": lambda: fastkappa.decode_probabilities(
        np.array(TABLE) / np.sum(TABLE, axis=1, keepdims=True), labels=["a", "b", SCRIPT]
    ),
    "DisputedItems": lambda: fastkappa.disputed_items(fastkappa.Ratings.from_raters(RATERS)),
    "EqualKappas": lambda: fastkappa.compare_strata({"a": TABLE, SCRIPT: TABLE}),
    "Estimate": lambda: pair().estimates["gwet_ac1"],
    "GroupedAgreement": lambda: fastkappa.agreement_by(RATINGS[0], RATINGS[1], groups=RATINGS[2]),
    "Interpretation": lambda: pair().interpret("mchugh"),
    "KappaPosterior": lambda: fastkappa.kappa_posterior(pair(), n_draws=99, rng=0),
    "KappaDifference": lambda: fastkappa.compare_predictions(
        *RATINGS[1:], y_true=RATINGS[0], n_resamples=99, rng=0
    ),
    "IntraclassCorrelation": lambda: fastkappa.measurements.intraclass_correlation(MEASURED)[
        "ICC(A,k)"
    ],
    "IntraclassResult": lambda: fastkappa.measurements.intraclass_correlation(MEASURED),
    "Kappas": lambda: fastkappa.score_many(RATINGS[0], RATERS),
    "LabelKappa": lambda: fastkappa.fleiss_kappa(RATINGS.T).by_label[0],
    "Leaderboard": board,
    "LeaderboardRow": lambda: next(iter(board())),
    "LimitsOfAgreement": lambda: fastkappa.measurements.limits_of_agreement(*METHODS),
    "Repeatability": lambda: fastkappa.measurements.repeatability([*zip(*METHODS)]),
    "MarginTests": lambda: pair().margins,
    "MultiRaterResult": lambda: fastkappa.fleiss_kappa(RATINGS.T),
    "PairwiseKappa": lambda: fastkappa.pairwise_kappa(fastkappa.Ratings.from_raters(RATERS)),
    "Plan": lambda: plan_study(kappa_study(0.8, design_effect=1.4), width=0.2, cluster_size=4),
    "Proportion": lambda: pair().agreement_within(1),
    "RaterComparison": lambda: fastkappa.compare_raters(fastkappa.Ratings.from_raters(RATERS)),
    "SourceCounts": lambda: fastkappa.confusion_from_source(frame(), "a", "b"),
    "SpecificAgreement": lambda: pair().specific_agreement,
    "RoundingReport": rounding,
    "TableKappas": lambda: TableKappas.of(np.array(TABLE), np.array(LABELS), "linear"),
    "ThresholdResult": lambda: fastkappa.optimal_thresholds(
        RATINGS[0], np.arange(60.0), labels=LABELS
    ),
}
# Results of the same classes with values that JSON lacks: NaN, infinity, dates, arrays.
DAYS = np.array(["2026-01-01", "2026-01-02"], "datetime64[ns]")
ODD: dict[str, Callable[[], Any]] = {
    "undefined": lambda: fastkappa.agreement_from_confusion([[3, 0], [0, 0]]),
    "undefined kappas": lambda: TableKappas.of(np.array([[3.5]]), np.array(["a"]), "none"),
    "matrix": lambda: fastkappa.agreement_from_confusion(
        TABLE, weights=np.ones((3, 3)) - np.eye(3)
    ),
    "dates": lambda: fastkappa.confusion_counts(DAYS, DAYS),
    "groups of dates": lambda: fastkappa.agreement_by(
        [1, 2, 2, 1] * 2, [1, 2, 1, 1] * 2, groups=np.repeat(DAYS, 4)
    ),
    "infinite": lambda: fastkappa.optimal_thresholds([1, 1, 2], [1.0, 2.0, 3.0], labels=[0, 1, 2]),
    "stack": lambda: indices.scott_pi(np.array([TABLE] * 200)),
    "many": lambda: fastkappa.score_many(CODES[0], [CODES[1]] * 100),
    "undefined prevalence": lambda: fastkappa.rogan_gladen(3, 9, [[1, 9], [9, 1]]),
    "raters without a kappa": lambda: fastkappa.compare_raters([[1, 1, 2], [1, 1, 2]]),
    "many raters": lambda: fastkappa.pairwise_kappa(np.tile(CODES, (9, 1)).T),
    "constant measurements": lambda: fastkappa.measurements.intraclass_correlation(
        [[1, 1], [1, 1]]
    ),
    "a mean below any correlation": lambda: fastkappa.measurements.intraclass_correlation(
        [[1, 5, 3], [5, 1, 2], [3, 2, 5], [4, 3, 1], [2, 4, 3], [5, 2, 6]]
    ),
    "no error of measurements": lambda: fastkappa.measurements.intraclass_correlation(
        [[1, 1], [2, 2]]
    ),
    "one constant method": lambda: fastkappa.measurements.concordance_correlation(
        [1, 2, 3], [1, 1, 1]
    ),
    "constant raters": lambda: fastkappa.measurements.overall_concordance_correlation(
        [[1, 1], [1, 1]]
    ),
    "a constant difference": lambda: fastkappa.measurements.limits_of_agreement([1, 2], [2, 3]),
    "many methods": lambda: fastkappa.measurements.overall_concordance_correlation(
        pandas.DataFrame(np.arange(60.0).reshape(3, 20), columns=list("abcdefghijklmnopqrst"))
    ),
    "several raters": lambda: fastkappa.krippendorff_alpha([[1, 1, None], [1, 1, 1]]),
}


def classes() -> Iterator[type]:
    """Yield the classes of results that public functions and methods of results return."""
    modules = ("measurements", "planning", "plotting")
    found: list[Any] = [*public_objects(*modules).values()]
    for thing in found:
        if is_result(thing):
            yield thing
            methods = [m for _, m in inspect.getmembers(thing, inspect.isfunction)]
            found += [m for m in methods if not m.__name__.startswith("_") and m not in found]
        elif inspect.isfunction(thing):
            try:
                returned = eval(str(thing.__annotations__.get("return")), thing.__globals__)
            except NameError:  # A class of matplotlib, imported only for type checkers.
                continue
            parts = [returned, *typing.get_args(returned)]
            news = [part for part in parts if is_result(part) and part not in found]
            found += news


# Public names that are tools, warnings or data, not results.
NO_RESULTS = {
    "ConfusionAccumulator",
    "FallingScoresWarning",
    "KappaFunction",
    "LabelOrderWarning",
    "Ratings",
    "ThresholdEvaluator",
}


def is_result(thing: Any) -> bool:
    return (
        inspect.isclass(thing)
        and thing.__module__.startswith("fastkappa.")
        and thing.__name__ not in NO_RESULTS
    )


def width(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


@pytest.fixture
def result(request: pytest.FixtureRequest) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {**RESULTS, **ODD}[request.param]()


every = pytest.mark.parametrize("result", [*RESULTS, *ODD], indirect=True)


def test_every_class_of_results_is_here() -> None:
    assert {found.__name__ for found in classes()} <= set(RESULTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in RESULTS.items():
            assert type(make()).__name__ == name
            assert isinstance(make(), Result)


@every
def test_it_prints_in_80_columns(result: Any) -> None:
    """The repr, one line that names the weights, has up to 100 columns."""
    for text, columns in ((str(result), 80), (repr(result), 100)):
        lines = text.splitlines()
        assert lines
        assert max(map(width, lines)) <= columns
        assert all(line == line.rstrip() for line in lines)
        assert not re.search(r"\bnan\b", text)
        assert "array(" not in text


@every
def test_its_html_is_escaped_and_whole(result: Any) -> None:
    html = result._repr_html_()
    open_tags: list[str] = []
    seen: set[str] = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            open_tags.append(tag)
            seen.add(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Reader().feed(html)
    assert open_tags == []
    assert "script" not in seen
    assert seen & {"td", "li", "p"}


@every
def test_its_dictionary_is_json(result: Any) -> None:
    fields = result.to_dict()
    assert fields == json.loads(json.dumps(fields, allow_nan=False))
    if hasattr(result, "_fields"):
        assert list(fields) == list(result._fields)


@every
def test_it_is_a_data_frame(result: Any) -> None:
    found = result.to_frame()
    assert isinstance(found, pandas.DataFrame)
    assert len(found) > 0


def test_a_dictionary_says_what_json_cannot() -> None:
    with pytest.warns(UserWarning, match="kappa is undefined"):
        undefined = ODD["undefined"]().to_dict()
    assert undefined["kappa"] is None
    assert undefined["standard_error"] is None
    assert undefined["interval"] == [None, None]
    thresholds = ODD["infinite"]().to_dict()["thresholds"]
    assert [float(cut) for cut in thresholds] == [-math.inf, 2.5] or thresholds[0] == "-inf"
    assert ODD["dates"]().to_dict()["labels"][0].startswith("2026-01-01")


def test_frames_hold_the_figures_of_the_result() -> None:
    pairwise = fastkappa.pairwise_kappa(CODES.T)
    row = pairwise.to_frame().loc[("rater 1", "rater 3")]
    assert row["kappa"] == pairwise.values[0, 2] == pairwise.values[2, 0]
    assert (row["lower"], row["n"]) == (pairwise.lower[0, 2], 60)
    table = counts()
    assert table.to_frame().loc[WIDE, SCRIPT] == table.table[1, 2]
    difference = fastkappa.compare_independent(TABLE, TABLE)
    assert difference.to_frame().loc[0, "upper"] == difference.interval[1]
    test = fastkappa.compare_strata([TABLE, TABLE])
    assert test.to_frame().loc[0, "degrees_of_freedom"] == 1
    best = fastkappa.optimal_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9])
    shown = best.to_frame()
    assert shown.loc[0, "below"] == shown.loc[1, "from"] == best.thresholds[0]
    assert shown["true"].tolist() == [2, 2]
    fleiss = fastkappa.fleiss_kappa(CODES.T)
    assert fleiss.to_frame().loc["kappa of 2", "value"] == fleiss.by_label[2].value
    reading = fastkappa.agreement_from_confusion(TABLE).interpret("fleiss")
    assert reading.to_frame()["proportion"].to_dict() == reading.proportions


@every
def test_arithmetic_makes_no_longer_tuple(result: Any) -> None:
    for calculate in (
        lambda: result + tuple(range(2)),
        lambda: tuple(range(2)) + result,
        lambda: sum([result, result], ()),
        lambda: 1 + result,
        lambda: result * 2,
        lambda: 2 * result,
    ):
        with pytest.raises(TypeError, match="unsupported operand"):
            calculate()
    if isinstance(result, (fastkappa.results.ConfusionCounts, fastkappa.results.SourceCounts)):
        assert type(result + result) is type(result)
    else:
        with pytest.raises(TypeError, match="unsupported operand"):
            result + result


@pytest.mark.filterwarnings("ignore:labels does not contain all ratings")
def test_counts_of_the_same_labels_add_up() -> None:
    options: dict[str, Any] = {"labels": LABELS[:2]}
    whole: Any = fastkappa.confusion_counts(*RATINGS[:2], **options)
    parts: list[Any] = [
        fastkappa.confusion_counts(*part, **options)
        for part in (RATINGS[:2, :20], RATINGS[:2, 20:])
    ]
    total = parts[0] + parts[1]
    assert sum(parts).to_dict() == total.to_dict()
    assert total.table.tolist() == whole.table.tolist()
    assert total.labels.tolist() == whole.labels.tolist()
    assert total.n_outside == whole.n_outside > 0
    rows = frame().astype(object)
    rows.iloc[5:9, 0] = None
    whole = fastkappa.confusion_from_source(rows, "a", "b", **options)
    parts = [
        fastkappa.confusion_from_source(part, "a", "b", **options)
        for part in (rows[:20], rows[20:])
    ]
    assert (parts[0] + parts[1]).to_dict() == whole.to_dict()
    with pytest.raises(ValueError, match="cannot be added to counts for"):
        total + fastkappa.confusion_counts(*RATINGS[:2], labels=LABELS[:2][::-1])
    with pytest.raises(TypeError, match="unsupported operand"):
        total + parts[0]
    large = fastkappa.confusion_counts([0], [0], sample_weight=[1 << 62])
    with pytest.raises(OverflowError, match="beyond int64"):
        large + large


def test_named_results_are_tuples_still() -> None:
    table, labels, n_outside = counts()
    assert (table.sum(), len(labels), n_outside) == (60, 3, 0)
    assert counts()._replace(n_outside=4).n_outside == 4
    value, error = indices.scott_pi(TABLE)
    assert value > error > 0

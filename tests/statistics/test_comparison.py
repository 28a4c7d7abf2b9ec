"""Comparison of kappas: published figures, simulation, exact derivatives."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    agreement,
    agreement_from_confusion,
    compare_independent,
    compare_paired,
    compare_predictions,
    compare_strata,
    kappa_from_confusion,
)
from fastkappa.exceptions import undefined_metric_warning
from tests.helpers.published import TABLES
from tests.helpers.published_comparisons import MULTIPLE_SCLEROSIS

WINNIPEG = TABLES["landis_koch_ms_winnipeg"].table
NEW_ORLEANS = TABLES["landis_koch_ms_neworleans"].table
WEIGHTS: dict[str, Any] = {"unweighted": None, "linear": "linear", "quadratic": "quadratic"}


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_strata_as_sas_compares_them(weights: str) -> None:
    published = MULTIPLE_SCLEROSIS[weights]
    tables = [WINNIPEG, NEW_ORLEANS]
    given: Any = {"weights": WEIGHTS[weights], "interval_method": "asymptotic"}
    results = {i: agreement_from_confusion(t, **given) for i, t in enumerate(tables)}
    for test in (
        compare_strata(tables, **given),
        compare_strata(np.array(tables), **given),
        compare_strata(results),
        compare_strata(list(results.values())),
    ):
        assert test.kappa == close(published.kappa)
        assert test.standard_error == close(published.error)
        assert test.statistic == close(published.statistic)
        assert test.p_value == close(published.p)
        assert test.degrees_of_freedom == 1
        assert test.interval[1] == close(test.kappa + 1.959963984540054 * test.standard_error)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_independent_samples(weights: str) -> None:
    published = MULTIPLE_SCLEROSIS[weights]
    given: Any = {"weights": WEIGHTS[weights], "interval_method": "asymptotic"}
    difference = compare_independent(WINNIPEG, NEW_ORLEANS, **given)
    assert difference.z == close(published.z)
    # One degree of freedom: the same test.
    assert difference.p_value == close(published.p)
    half = 1.959963984540054 * difference.standard_error
    assert difference.interval == close((difference.value - half, difference.value + half))
    assert difference.value == difference.kappas[0] - difference.kappas[1]
    for method in ("score", "profile"):
        found = compare_independent(
            WINNIPEG, NEW_ORLEANS, weights=WEIGHTS[weights], interval_method=method
        )
        swapped = compare_independent(
            NEW_ORLEANS, WINNIPEG, weights=WEIGHTS[weights], interval_method=method
        )
        ends = -found.interval[1], -found.interval[0]
        assert swapped.interval == pytest.approx(ends, abs=1e-7)
        of_strata = compare_strata(
            [WINNIPEG, NEW_ORLEANS], weights=WEIGHTS[weights], interval_method=method
        )
        assert found.p_value == pytest.approx(of_strata.p_value, abs=1e-9)


def alike_in_two_labels(n: int, disagreed: int) -> Any:
    """Return a table of two equally frequent labels, with kappa 1 - 2 disagreed / n."""
    return [[(n - disagreed) // 2, disagreed // 2], [disagreed // 2, (n - disagreed) // 2]]


def test_symmetric_strata_are_proportions() -> None:
    """Each score is Wilson's, and the common proportion is that of all items.

    Its deviates have the errors sqrt(q (1 - q) / n), so the weighted sum is 0 at the pooled
    proportion q. The chi-square is Pearson's for the table of strata by agreement.
    """
    sizes, disagreed = np.array([40, 60, 100]), np.array([4, 14, 10])
    strata = [alike_in_two_labels(*pair) for pair in zip(sizes.tolist(), disagreed.tolist())]
    test = compare_strata(strata)
    q = disagreed.sum() / sizes.sum()
    assert test.kappa == pytest.approx(1 - 2 * q, abs=1e-8)
    pearson = ((disagreed - sizes * q) ** 2 / (sizes * q * (1 - q))).sum()
    assert test.statistic == pytest.approx(pearson, rel=1e-7)
    assert test.standard_error == pytest.approx(2 * math.sqrt(q * (1 - q) / sizes.sum()), rel=1e-6)
    # With one error of all, the interval is Wilson's of the pooled items.
    z, n = 1.959963984540054, sizes.sum()
    middle, half = q + z * z / 2 / n, z * math.sqrt(q * (1 - q) / n + z * z / 4 / n / n)
    wilson = 1 - 2 * (middle + half) / (1 + z * z / n), 1 - 2 * (middle - half) / (1 + z * z / n)
    assert test.interval == pytest.approx(wilson, abs=1e-7)


@pytest.mark.parametrize("weights", [None, "quadratic"])
@pytest.mark.parametrize("method", ["score", "profile", "asymptotic"])
def test_p_and_interval_say_the_same(method: Any, weights: Any) -> None:
    """At a confidence of 1 - p the interval ends at 0."""
    given: Any = {"weights": weights, "interval_method": method}
    joint = cube(*simulated_joint(np.random.default_rng(9), 60))
    for compare in (
        lambda confidence: compare_independent(
            CENTRES["a"], CENTRES["b"], confidence=confidence, **given
        ),
        lambda confidence: compare_paired(joint, confidence=confidence, **given),
    ):
        found = compare(0.95)
        at_p = compare(1 - found.p_value)
        nearest = at_p.interval[0] if found.value > 0 else at_p.interval[1]
        assert nearest == pytest.approx(0, abs=1e-6)


def test_a_rater_with_one_label_can_be_compared() -> None:
    """The error of its kappa is 0, but other values than 0 are not refuted."""
    difference = compare_independent([[0, 1], [3, 26]], [[0, 1], [0, 29]])
    low, high = difference.interval
    assert difference.p_value > 0.5
    assert low < difference.value < 0 < high


@pytest.mark.slow
def test_equal_kappas_are_rejected_as_often_as_they_should_be() -> None:
    """Four strata of 30 items, a label of 20 %."""
    rng = np.random.default_rng(12)
    m, kappa = np.array([0.2, 0.8]), 0.6
    cells = kappa * np.diag(m) + (1 - kappa) * np.outer(m, m)
    rejected, held, n_studies = 0, 0, 300
    for tables in rng.multinomial(30, cells.ravel(), (n_studies, 4)).reshape(n_studies, 4, 2, 2):
        test = compare_strata(tables, undefined="drop")
        rejected += test.p_value < 0.05
        held += test.interval[0] <= kappa <= test.interval[1]
    # Within three standard errors of 5 and 95 %.
    assert 0.012 < rejected / n_studies < 0.088
    assert 0.912 < held / n_studies < 0.988


def test_strata_may_have_other_labels() -> None:
    test = compare_strata([[[20, 5], [10, 15]], WINNIPEG, NEW_ORLEANS])
    assert test.degrees_of_freedom == 2
    assert 0 < test.p_value < 1


ASYMPTOTIC: Any = {"interval_method": "asymptotic"}


def test_strata_that_cannot_be_compared() -> None:
    with pytest.warns(undefined_metric_warning(), match="standard error is 0 in stratum 'b'"):
        test = compare_strata({"a": WINNIPEG, "b": [[3, 0], [0, 4]]}, **ASYMPTOTIC)
    assert math.isnan(test.kappa)
    assert math.isnan(test.p_value)
    # Seven agreed items do not refute a kappa of .65.
    test = compare_strata({"a": CENTRES["a"], "b": [[3, 0], [0, 4]]})
    assert test.undefined == ()
    assert 0.64 < test.kappa < 0.7
    assert test.p_value > 0.05
    with pytest.warns(undefined_metric_warning(), match="kappa is undefined in stratum 1"):
        compare_strata([WINNIPEG, [[3, 0], [0, 0]]])


CENTRES = {"a": [[40, 10], [8, 42]], "b": [[30, 12], [9, 49]]}
ONE_LABEL = [[90, 0], [10, 0]]


def test_a_rater_with_one_label_is_no_stratum() -> None:
    """Its kappa and standard error are exactly 0, not 1e-17."""
    message = (
        "the strata cannot be compared: the standard error is 0 in stratum 'c'."
        " Use undefined='drop' to leave it out."
    )
    with pytest.warns(undefined_metric_warning(), match=f"^{re.escape(message)}$") as warned:
        test = compare_strata({**CENTRES, "c": ONE_LABEL}, **ASYMPTOTIC)
    assert warned[0].filename == __file__
    assert all(map(math.isnan, (test.kappa, test.statistic, test.p_value, *test.interval)))
    assert (test.degrees_of_freedom, test.undefined) == (2, ("c",))


def test_undefined_strata_are_dropped() -> None:
    expected = compare_strata(CENTRES, **ASYMPTOTIC)
    tables = {"none": [[3, 0], [0, 0]], **CENTRES, "c": ONE_LABEL, "all": [[3, 0], [0, 4]]}
    test = compare_strata(tables, undefined="drop", **ASYMPTOTIC)
    assert vars(test) == {**vars(expected), "undefined": ("none", "c", "all")}
    assert expected.undefined == ()
    with pytest.warns(
        undefined_metric_warning(),
        match=r"undefined in stratum 'none', and the standard error is 0 in 2 strata: 'c', 'all'",
    ):
        compare_strata(tables, **ASYMPTOTIC)
    test = compare_strata(tables, undefined="drop")
    assert test.undefined == ("none",)


def test_nothing_is_left_to_compare() -> None:
    with pytest.warns(undefined_metric_warning(), match="0 in 6 strata: 1, 2, 3, 4, 5, ...[.]$"):
        test = compare_strata([CENTRES["a"], *[ONE_LABEL] * 6], undefined="drop", **ASYMPTOTIC)
    assert math.isnan(test.p_value)
    assert test.degrees_of_freedom == 0
    with pytest.raises(ValueError, match="undefined must be 'nan' or 'drop', got 'raise'"):
        compare_strata(CENTRES, undefined="raise")  # type: ignore[arg-type]


PERFECT = [[3, 0], [0, 4]]


@pytest.mark.parametrize(
    ("tables", "names", "value"),
    [
        # po = 82/100, pe = 1/2: kappa is 16/25. For one label it is 0, for full agreement 1.
        ((CENTRES["a"], ONE_LABEL), "the second table", 0.64),
        ((ONE_LABEL, CENTRES["a"]), "the first table", -0.64),
        ((CENTRES["a"], PERFECT), "the second table", -0.36),
        ((ONE_LABEL, PERFECT), "the first table and in the second table", -1),
    ],
)
def test_no_test_with_a_kappa_without_error(tables: Any, names: str, value: float) -> None:
    message = f"the difference of the kappas cannot be tested: the standard error is 0 in {names}."
    with pytest.warns(undefined_metric_warning(), match=f"^{re.escape(message)}$") as told:
        found = compare_independent(*tables, **ASYMPTOTIC)
    assert (len(told), told[0].filename) == (1, __file__)
    assert found.value == close(value)
    assert all(map(math.isnan, (found.standard_error, found.z, found.p_value, *found.interval)))
    found = compare_independent(*tables)
    assert math.isnan(found.standard_error)
    low, high = found.interval
    assert low <= value <= high
    assert (found.p_value < 0.05) == (low > 0 or high < 0)


def test_a_prediction_missing_in_one_counts_for_neither() -> None:
    truth, first, second = [0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, None]
    found = compare_predictions(first, second, y_true=truth, missing="drop")
    # For the three remaining items: po = 2/3, pe = 4/9. All four would give 1/2.
    assert found.kappas == close((0.4, 1))
    assert agreement(truth, first).kappa == close(0.5)


def test_the_warning_offers_only_what_helps() -> None:
    with pytest.warns(undefined_metric_warning(), match="strata: 'c', 'd'[.] .* to leave them out"):
        compare_strata({**CENTRES, "c": ONE_LABEL, "d": PERFECT}, **ASYMPTOTIC)
    with pytest.warns(undefined_metric_warning(), match="0 in stratum 1[.]$"):
        compare_strata([CENTRES["a"], PERFECT], **ASYMPTOTIC)


def test_errors_of_one_distribution_are_compared() -> None:
    normal, student = (
        [agreement_from_confusion(table, distribution=name) for table in CENTRES.values()]  # type: ignore[arg-type]
        for name in ("normal", "t")
    )
    for mixed in ([normal[0], student[1]], [student[0], CENTRES["b"]]):
        for compare in (compare_strata, lambda tables: compare_independent(*tables)):
            with pytest.raises(ValueError, match="all results must use the same distribution"):
                compare(mixed)
    # Both tables have 100 items: each variance is divided by 99, not by 100.
    assert compare_independent(*student).standard_error == close(
        compare_independent(*normal).standard_error * math.sqrt(100 / 99)
    )


def simulated_joint(rng: Any, n: int) -> Any:
    truth = rng.integers(0, 3, n)
    first = np.where(rng.random(n) < 0.7, truth, rng.integers(0, 3, n))
    second = np.where(rng.random(n) < 0.6, first, rng.integers(0, 3, n))
    return truth, first, second


def cube(truth: Any, first: Any, second: Any) -> Any:
    return np.bincount((truth * 3 + first) * 3 + second, minlength=27).reshape(3, 3, 3)


@pytest.mark.parametrize("weights", [None, "quadratic", [[0, 1, 3], [2, 0, 1], [1, 5, 0]]])
def test_paired_error_is_that_of_the_delta_method(weights: Any) -> None:
    joint = cube(*simulated_joint(np.random.default_rng(1), 400)) + 1

    def difference(p: Any) -> float:
        return kappa_from_confusion(p.sum(2), weights=weights) - kappa_from_confusion(
            p.sum(1), weights=weights
        )

    n, step = joint.sum(), 1e-5
    proportions = joint / n
    slope = np.zeros(joint.shape)
    for cell in np.ndindex(joint.shape):
        moved = np.zeros(joint.shape)
        moved[cell] = step
        slope[cell] = (difference(proportions + moved) - difference(proportions - moved)) / (
            2 * step
        )
    mean = (proportions * slope).sum()
    error = math.sqrt((proportions * (slope - mean) ** 2).sum() / n)
    found = compare_paired(joint, weights=weights, **ASYMPTOTIC)
    assert found.value == close(difference(joint))
    assert found.standard_error == pytest.approx(error, rel=1e-6)
    assert found.z == close(found.value / found.standard_error)
    by_score = compare_paired(joint, weights=weights)
    assert by_score.standard_error == found.standard_error
    assert by_score.z == pytest.approx(found.z, rel=0.03)


def test_paired_error_is_that_of_simulated_studies() -> None:
    rng = np.random.default_rng(2)
    found = [compare_paired(cube(*simulated_joint(rng, 500)), **ASYMPTOTIC) for _ in range(600)]
    scatter = np.std([difference.value for difference in found])
    errors = np.mean([difference.standard_error for difference in found])
    assert errors == pytest.approx(scatter, rel=0.1)
    truth = compare_paired(cube(*simulated_joint(rng, 10**6))).value
    covered = np.mean([d.interval[0] < truth < d.interval[1] for d in found])
    assert 0.925 < covered < 0.975


def test_paired_bootstrap() -> None:
    joint = cube(*simulated_joint(np.random.default_rng(3), 2000))
    found = compare_paired(joint, n_resamples=4000, rng=4)
    assert found.bootstrap is not None
    assert found.bootstrap.value == found.value
    assert found.bootstrap.standard_error == pytest.approx(found.standard_error, rel=0.06)
    assert found.bootstrap.interval == pytest.approx(found.interval, abs=0.01)
    assert compare_paired(joint).bootstrap is None


def test_a_prediction_compared_with_itself() -> None:
    truth, first, _ = simulated_joint(np.random.default_rng(5), 300)
    same = compare_predictions(first, first, y_true=truth)
    assert (same.value, same.standard_error) == (0, 0)
    assert math.isnan(same.p_value)


@pytest.mark.parametrize(
    "change",
    [
        lambda codes: codes,
        lambda codes: np.array(["low", "mid", "top"])[codes].tolist(),
        lambda codes: codes * 1000.0 - 70_000,
        lambda codes: codes.astype(np.uint8),
        lambda codes: codes * 2**40 - 2**41,
    ],
)
def test_predictions_are_counted_jointly(change: Any) -> None:
    columns = simulated_joint(np.random.default_rng(6), 700)
    columns_given = [change(codes) for codes in columns]
    labels = sorted({*columns_given[0]}) if isinstance(columns_given[0], list) else None
    found = compare_predictions(
        *columns_given[1:], y_true=columns_given[0], weights="quadratic", labels=labels
    )
    joint = compare_paired(cube(*columns), weights="quadratic")
    assert vars(found) == vars(joint)


@pytest.mark.filterwarnings("ignore:each step:fastkappa.exceptions.LabelOrderWarning")
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.filterwarnings("ignore:.* agree on 9 only as often as expected by chance")
def test_the_other_prediction_changes_no_kappa(weights: Any) -> None:
    """Its labels would stretch the distances used by linear and quadratic weights."""
    rng = np.random.default_rng(8)
    truth = rng.choice([0, 2, 5], 300)
    first = np.where(rng.random(300) < 0.7, truth, rng.choice([0, 3, 5], 300))
    second = np.where(rng.random(300) < 0.7, truth, rng.choice([1, 4, 9], 300))
    found = compare_predictions(
        first, second, y_true=truth, weights=weights, n_resamples=2000, rng=1
    )
    alone = [agreement(truth, labels, weights=weights) for labels in (first, second)]
    assert found.kappas == pytest.approx([result.kappa for result in alone], abs=1e-14)
    # A prediction of one label has kappa 0 for any items: the error is that of the other.
    constant = compare_predictions(first, np.full(300, 4), y_true=truth, weights=weights)
    assert constant.kappas == pytest.approx((alone[0].kappa, 0), abs=1e-14)
    assert constant.standard_error == pytest.approx(alone[0].standard_error)
    assert found.bootstrap is not None
    assert found.bootstrap.value == found.value
    assert found.bootstrap.standard_error == pytest.approx(found.standard_error, rel=0.08)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: compare_strata([WINNIPEG]), "at least two strata, got 1"),
        (lambda: compare_strata([WINNIPEG, [[1, -1], [1, 1]]]), "negative"),
        (lambda: compare_strata([WINNIPEG, [1, 2]]), "shape"),
        (lambda: compare_independent(WINNIPEG, np.ones((2, 2, 2))), r"\(l, l\), got \(2, 2, 2\)"),
        (lambda: compare_independent(WINNIPEG, NEW_ORLEANS, confidence=2), "confidence .* got 2"),
        (
            lambda: compare_strata(
                [
                    agreement_from_confusion(WINNIPEG),
                    agreement_from_confusion(NEW_ORLEANS, weights="linear"),
                ]
            ),
            "different weights cannot be compared, got None and 'linear'",
        ),
        (
            lambda: compare_strata([agreement_from_confusion(WINNIPEG)] * 2, weights="linear"),
            "results have their own",
        ),
        (lambda: compare_paired(np.ones((2, 2))), r"joint must have the shape .* got \(2, 2\)"),
        (lambda: compare_paired(np.ones((2, 2, 3))), r"got \(2, 2, 3\)"),
        (lambda: compare_paired(np.zeros((2, 2, 2))), "at least one positive count"),
        (lambda: compare_paired(np.full((2, 2, 2), 0.5)), "joint must contain whole counts"),
        (lambda: compare_paired(-np.ones((2, 2, 2))), "negative"),
        (
            lambda: compare_predictions([1, 2], [1], y_true=[1]),
            r"same length, got \{'y_true': 1, 'first': 2",
        ),
        (
            lambda: compare_predictions([1], [1], y_true=[1], labels=[2]),
            r"not among the labels \[2\]",
        ),
        (lambda: compare_predictions([], [], y_true=[]), "must not be empty, got no items"),
        (lambda: compare_predictions([1], [1], y_true=[1], missing="no"), "missing must be"),
    ],
)
def test_what_is_refused(call: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        call()

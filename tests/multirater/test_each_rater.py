"""Each rater compared with the others, and the items on which raters disagree."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    agreement,
    compare_coefficients,
    compare_raters,
    conger_kappa,
    datasets,
    disputed_items,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_kappa,
)
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.multirater.statistics.chance_corrected import distances_of
from fastkappa.multirater.statistics.known_raters import Conger
from tests.helpers.exact_raters import Distance, distance_of
from tests.multirater.test_clusters_of_subjects import influences, ratings

GRADES = datasets.load_items("anaesthetists").ratings[:, [0, 3, 4, 5]]
COEFFICIENTS: dict[str, Any] = {
    "conger": conger_kappa,
    "fleiss": fleiss_kappa,
    "alpha": krippendorff_alpha,
}


def schouten(rows: list[list[int | None]], rater: int, n_labels: int, weights: Any) -> float:
    """Return the kappa of a rater with the others, by its definition, in exact arithmetic."""
    distance: Distance = distance_of(weights, n_labels)
    others = [i for i in range(len(rows[0])) if i != rater]
    apart = []
    for row in rows:
        own, rest = row[rater], [row[i] for i in others if row[i] is not None]
        if own is not None and rest:
            apart.append(sum((distance(own, r) for r in rest if r is not None), Fraction(0)))
            apart[-1] /= len(rest)
    columns = [[r for r in column if r is not None] for column in zip(*rows)]
    pairs = [
        sum((distance(a, b) for a in columns[rater] for b in columns[i]), Fraction(0))
        / (len(columns[rater]) * len(columns[i]))
        for i in others
    ]
    observed, expected = sum(apart, Fraction(0)) / len(apart), sum(pairs, Fraction(0)) / len(pairs)
    return float(1 - observed / expected)


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_with_the_others(missing: float, weights: Any) -> None:
    given = ratings(40, missing=missing)
    rows = [[None if np.isnan(r) else int(r) for r in row] for row in given]
    found = compare_raters(given, weights=weights, labels=[0, 1, 2])
    for rater in range(4):
        expected = schouten(rows, rater, 3, weights)
        assert found.with_others.values[rater] == pytest.approx(expected, rel=1e-12)


def test_of_complete_ratings_it_is_a_part_of_congers_kappa() -> None:
    """Schouten: 1 minus the kappa of all raters is a weighted mean over each rater."""
    found, whole = compare_raters(GRADES), conger_kappa(GRADES)
    pairs = pairwise_kappa(GRADES)
    expected = [
        sum(
            1 - agreement(GRADES[:, i], GRADES[:, j]).expected_agreement for j in range(4) if j != i
        )
        for i in range(4)
    ]
    mean = np.average(found.with_others.values, weights=expected)
    assert mean == pytest.approx(whole.value, rel=1e-12)
    low, high = pairs.values[0, 1:].min(), pairs.values[0, 1:].max()
    assert low < found.with_others.values[0] < high


@pytest.mark.parametrize("of", [None, np.repeat(np.arange(15), 2)])
def test_standard_errors_are_those_of_numerical_derivatives(of: Any) -> None:
    given = ratings(30, missing=0.0, seed=3)
    clusters = np.arange(30) if of is None else of
    found = compare_raters(given, clusters=of)

    def with_others(rows: np.ndarray) -> float:
        profiles = Ratings.from_array(rows).profiles("this test")
        kappa = Conger(profiles, distances_of(None, len(np.unique(rows))), 1)
        return float(kappa.values(kappa.multiplicities))

    def difference(rows: np.ndarray) -> float:
        return with_others(rows) - conger_kappa(np.delete(rows, 1, axis=1)).value

    assert found.with_others.values[1] == pytest.approx(with_others(given), rel=1e-12)
    assert found.difference.values[1] == pytest.approx(difference(given), rel=1e-9)

    n_units = len(np.unique(clusters))
    for value, estimates in ((with_others, found.with_others), (difference, found.difference)):
        adds = influences(value, given, clusters)
        variance = (adds**2).sum() / 30**2 * n_units / (n_units - 1)
        assert estimates.standard_errors[1] == pytest.approx(np.sqrt(variance), rel=2e-3)


@pytest.mark.parametrize("of", [None, np.repeat(np.arange(12), 4)])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_left_out_it_is_the_coefficient_of_the_others(name: str, missing: float, of: Any) -> None:
    given = ratings(48, missing=missing, seed=1)
    found = compare_raters(given, coefficient=name, clusters=of)  # type: ignore[arg-type]
    whole = COEFFICIENTS[name](given, clusters=of, labels=[0, 1, 2])
    assert found.value == pytest.approx(whole.value, rel=1e-12)
    for rater in range(4):
        left = COEFFICIENTS[name](np.delete(given, rater, 1), clusters=of, labels=[0, 1, 2])
        assert found.without.values[rater] == pytest.approx(left.value, rel=1e-12)
        assert found.without.standard_errors[rater] == pytest.approx(left.standard_error, rel=1e-9)
        assert (found.without.lower[rater], found.without.upper[rater]) == pytest.approx(
            left.interval, abs=1e-6
        )
        if missing and of is None:
            continue  # The degrees of freedom are based on the subjects used in either coefficient.
        change = compare_coefficients(left, whole)
        assert found.change.values[rater] == pytest.approx(change.value, abs=1e-12)
        assert found.change.standard_errors[rater] == pytest.approx(change.standard_error, rel=1e-9)
        assert found.change.p_values[rater] == pytest.approx(change.p_value, rel=1e-9)


def test_a_rating_that_others_lack_says_nothing_of_a_rater() -> None:
    """Items that a rater did not rate change the rater's agreement only through the margins."""
    given = ratings(60, missing=0.0, seed=2)
    more = np.concatenate([given, given[::-1]])
    more[60:, 0] = np.nan
    few, many = compare_raters(given), compare_raters(more)
    assert many.with_others.values[0] == pytest.approx(few.with_others.values[0], rel=1e-12)
    assert many.with_others.standard_errors[0] == pytest.approx(
        few.with_others.standard_errors[0], rel=0.15
    )


def test_long_ratings_are_the_same() -> None:
    given = ratings(30, missing=0.3, seed=5)
    item, rater = np.nonzero(~np.isnan(given))
    names = np.array(["d", "a", "c", "b"])[rater]
    long = Ratings.from_long(item=item, rater=names, rating=given[item, rater].astype(int))
    of_long, of_array = compare_raters(long), compare_raters(given[:, [1, 3, 2, 0]])
    assert of_long.rater_names == ("a", "b", "c", "d")
    for one, other in zip(of_long.to_frame().to_numpy().T, of_array.to_frame().to_numpy().T):
        assert one == pytest.approx(other, rel=1e-9, nan_ok=True)
    assert of_long.label_counts.sum() == len(item)


def test_frequencies_and_refusals() -> None:
    found = compare_raters(GRADES)
    for rater, counts in enumerate(found.label_counts):
        assert counts.tolist() == [int((GRADES[:, rater] == label).sum()) for label in (1, 2, 3, 4)]
    with pytest.raises(ValueError, match="needs 3 to 100 raters, got 2"):
        compare_raters(GRADES[:, :2])
    with pytest.raises(ValueError, match="needs to know which rater gave which rating"):
        compare_raters(Ratings.from_counts([[2, 1], [1, 2]]))
    with pytest.raises(ValueError, match="coefficient must be 'conger'"):
        compare_raters(GRADES, coefficient="cohen")  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pairs_are_found_by_name_and_by_position() -> None:
    given = ratings(40, missing=0.2)
    names = ["ann", "ben", "eve", "7"]
    pairs = pairwise_kappa(Ratings.from_raters(dict(zip(names, given.T))), weights="linear")
    for i, j in combinations(range(4), 2):
        for first, second in ((i, j), (j, i)):
            direct = agreement(
                given[:, first],
                given[:, second],
                weights="linear",
                missing="drop",
                labels=[0, 1, 2],
            )
            found = pairs[names[first], names[second]]
            assert found.table.tolist() == direct.table.tolist()
            assert (found.missing, found.n_dropped) == (direct.missing, direct.n_dropped)
            assert found.raters == (names[first], names[second])
            ends = pairs.lower[first, second], pairs.upper[first, second]
            assert found.interval == pytest.approx(ends, abs=1e-6)
            assert found.interval == pytest.approx(direct.interval, abs=1e-6)
    assert pairs[0, 2].table.tolist() == pairs["ann", "eve"].table.tolist()
    assert pairs["ann", 7].table.tolist() == pairs["ann", "7"].table.tolist()


def test_pairs_have_their_clusters() -> None:
    given, of = ratings(40, missing=0.2), np.repeat(np.arange(10), 4)
    pairs = pairwise_kappa(given, clusters=of)
    for first, second in ((0, 2), (2, 0)):
        direct = agreement(given[:, first], given[:, second], missing="drop", clusters=of)
        assert pairs[first, second].standard_error == pytest.approx(direct.standard_error)
        assert pairs[first, second].design_effect == pytest.approx(direct.design_effect)


def test_pairs_that_are_not_there() -> None:
    pairs = pairwise_kappa(Ratings.from_raters({"anna": [1, 2], "eve": [1, 2], "bob": [1, 1]}))
    for pair, message in (
        (("ana", "eve"), "no rater is named 'ana'. Did you mean 'anna'?"),
        (("anna", "anna"), "two different raters"),
        (("anna", 3), "no rater is named 3"),
        (("anna", -1), "no rater is named -1"),
        ("anna", "pass two raters"),
    ):
        with pytest.raises(KeyError, match=message):
            pairs[pair]  # type: ignore[index]
    twice = pairwise_kappa(Ratings.from_raters([[1, 2], [1, 2]]))
    assert twice["rater 1", "rater 2"].kappa == 1


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("weights", [None, "linear"])
def test_disputed_items(missing: float, weights: Any) -> None:
    given = ratings(50, missing=missing)
    distance = distance_of(weights, 3)
    expected = {}
    for i, row in enumerate(given):
        rated = [int(r) for r in row if not np.isnan(r)]
        apart = [distance(a, b) for a, b in combinations(rated, 2)]
        expected[i] = float(sum(apart, Fraction(0)) / len(apart))
    order = sorted((i for i in expected if expected[i]), key=lambda i: -expected[i])
    found = disputed_items(given, weights=weights, labels=[0, 1, 2])
    assert found.items.tolist() == order
    assert found.disagreement == pytest.approx([expected[i] for i in order])
    assert found.ratings is not None
    for i, row, counts in zip(order, found.ratings.tolist(), found.label_counts.tolist()):
        assert row == [None if np.isnan(r) else r for r in given[i]]
        assert counts == [(given[i] == label).sum() for label in (0, 1, 2)]
    assert (
        disputed_items(given, labels=[0, 1, 2], most=3).items.tolist()
        == (disputed_items(given, labels=[0, 1, 2]).items.tolist()[:3])
    )


def test_disputed_items_of_other_forms() -> None:
    long = Ratings.from_long(
        item=["x", "x", "y", "y", "y", "z"],
        rater=["A", "B", "A", "B", "C", "C"],
        rating=["no", "yes", "no", "no", "yes", "no"],
    )
    lines = disputed_items(long).to_csv().splitlines()
    assert lines == [
        "item,disagreement,A,B,C,majority,adjudicated",
        "x,1.0,no,yes,,,",
        f"y,{2 / 3},no,no,yes,no,",
    ]
    counts = Ratings.from_counts([[3, 0], [1, 2], [2, 2]], labels=["no", "yes"])
    assert disputed_items(counts).to_csv().splitlines()[0] == (
        "item,disagreement,ratings no,ratings yes,majority,adjudicated"
    )
    # If two raters each gave two labels, no label has more than half of four ratings.
    assert [line.split(",")[-2] for line in disputed_items(counts).to_csv().splitlines()[1:]] == [
        "yes",
        "",
    ]
    assert disputed_items(counts).items.tolist() == [1, 2]
    with pytest.raises(ValueError, match="a confusion matrix do not show"):
        disputed_items(Ratings.from_table([[3, 1], [1, 3]]))
    with pytest.raises(ValueError, match="most must be 1 or more"):
        disputed_items(counts, most=0)


def test_disputed_sets_are_text_in_a_table() -> None:
    found = disputed_items([[{"a", "b"}, {"a"}], [{"c"}, {"c"}]])
    assert found.to_csv().splitlines()[1] == "0,1.0,a + b,a,,"
    three = disputed_items([[{"b", "a"}, {"a", "b"}, set()]])
    assert three.to_csv(set_separator=";").splitlines()[1].endswith(",a;b,a;b,[],a;b,")
    assert "a, a + b" in str(found)


def test_no_item_may_be_disputed() -> None:
    none = disputed_items([[1, 1], [2, 2]])
    assert str(none) == "0 of 2 items are disputed"
    assert len(none.to_frame()) == 0
    assert none.to_csv() == "item,disagreement,rater 1,rater 2,majority,adjudicated"


def test_agreement_on_each_label() -> None:
    """For two raters: specific agreement. For more: pairs of ratings, one by one."""
    two = fleiss_kappa(GRADES[:, :2]).by_label
    specific = agreement(GRADES[:, 0], GRADES[:, 1]).specific_agreement.values
    assert [one.agreement for one in two] == pytest.approx(specific)
    given = ratings(30, missing=0.2, seed=4)
    for one in fleiss_kappa(given).by_label:
        both = some = 0
        for row in given:
            own = [r == one.label for r in row if not np.isnan(r)]
            for a, b in combinations(own, 2):
                both, some = both + 2 * (a and b), some + a + b
        assert one.agreement == pytest.approx(both / some)
        assert one.n_ratings == (given == one.label).sum()
        # A label against all others is Fleiss' kappa of two labels.
        two_labels = np.where(np.isnan(given), np.nan, given == one.label)
        assert one.interval == pytest.approx(fleiss_kappa(two_labels).interval, abs=1e-6)
    with pytest.warns(undefined_metric_warning()):
        unused = fleiss_kappa([[1, 1], [1, 1]], labels=[1, 2]).by_label[1]
    assert (unused.n_ratings, np.isnan(unused.agreement)) == (0, True)

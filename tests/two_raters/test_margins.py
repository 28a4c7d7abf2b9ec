"""Tests of margins and symmetry, compared with papers, R, statsmodels and exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from fastkappa import agreement, agreement_from_confusion
from fastkappa.two_raters.statistics.margins import bhapkar, bowker, mcnemar, stuart_maxwell
from tests.helpers.r_values import SQUARE, r_value

VISION = SQUARE["vision_1955"]["data"]
APPROVAL = SQUARE["approval"]["data"]
# Fleiss (1981), section 8.3: diagnoses of 100 patients by two teams, among them
# schizophrenia and affective disorder. He prints 14.00 for equal margins (2 degrees of freedom).
FLEISS = [[35, 5, 0], [15, 20, 5], [10, 5, 5]]


def exact_stuart_maxwell(table: Any) -> Fraction:
    """Return d' S^-1 d without the last label, by elimination in rational numbers."""
    counts = [[Fraction(count) for count in row] for row in table]
    size = len(counts) - 1
    margins = [sum(row) - sum(column) for row, column in zip(counts, zip(*counts))][:size]
    rows = []
    for i in range(size):
        row = [-(counts[i][j] + counts[j][i]) for j in range(size)]
        row[i] = sum(counts[i]) + sum(other[i] for other in counts) - 2 * counts[i][i]
        rows.append([*row, margins[i]])
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i])]
    return sum((d * row[-1] for d, row in zip(margins, rows)), Fraction(0))


def random_tables(n_labels: int, n_tables: int) -> Any:
    rng = np.random.default_rng(n_labels)
    return rng.integers(1, 30, (n_tables, n_labels, n_labels))


def test_published_figures() -> None:
    # Stuart (1955) prints 11.96, and Bhapkar (1966) 11.97 for his own.
    assert stuart_maxwell(VISION)[:2] == (pytest.approx(11.957, abs=5e-4), 3)
    assert bhapkar(VISION)[:2] == (pytest.approx(11.976, abs=5e-4), 3)
    # Fleiss (1981) prints 14.00; for McNemar's test Agresti (1990) prints z = -4.17.
    assert stuart_maxwell(FLEISS)[:2] == (pytest.approx(14.0, abs=5e-3), 2)
    assert math.sqrt(mcnemar(APPROVAL).chi_square.statistic) == pytest.approx(4.17, abs=5e-3)


@pytest.mark.parametrize("name", SQUARE)
def test_bowker_and_mcnemar_of_r(name: str) -> None:
    table, of_r = SQUARE[name]["data"], r_value(name, "stats::mcnemar.test")
    if of_r["statistic"] is None:
        return  # R's statistic is 0 / 0 if a pair of labels never occurs; that is tested below.
    statistic, freedom, p_value, undefined = bowker(table)
    assert (freedom, undefined) == (of_r["degrees_of_freedom"], "")
    assert statistic == pytest.approx(of_r["statistic"], rel=1e-12)
    assert p_value == pytest.approx(of_r["p"], rel=1e-10)


def test_corrected_and_exact_mcnemar_of_r() -> None:
    found = mcnemar(APPROVAL)
    of_r = r_value("approval", "stats::mcnemar.test corrected")
    assert found.counts == (150, 86)
    assert found.corrected.statistic == pytest.approx(of_r["statistic"], rel=1e-12)
    assert found.corrected.p_value == pytest.approx(of_r["p"], rel=1e-10)
    assert found.exact_p_value == pytest.approx(r_value("approval", "stats::binom.test")["p"])


@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_statsmodels_has_the_same(n_labels: int) -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    for table in random_tables(n_labels, 5):
        square = tables.SquareTable(table, shift_zeros=False)
        for ours, theirs in (
            (bowker(table), square.symmetry()),
            (stuart_maxwell(table), square.homogeneity()),
            (bhapkar(table), square.homogeneity(method="bhapkar")),
        ):
            assert ours.degrees_of_freedom == theirs.df
            assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-10)
            assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-7)


@pytest.mark.parametrize("n_labels", [2, 3, 4, 6])
def test_exact_arithmetic(n_labels: int) -> None:
    for table in random_tables(n_labels, 10):
        exact = exact_stuart_maxwell(table.tolist())
        n = int(table.sum())
        assert stuart_maxwell(table).statistic == pytest.approx(float(exact), rel=1e-11)
        wald = exact / (1 - exact / n)
        assert bhapkar(table).statistic == pytest.approx(float(wald), rel=1e-11)


def test_counts_beyond_int64() -> None:
    table = [[count * 10**20 for count in row] for row in VISION]
    assert stuart_maxwell(table).statistic == pytest.approx(
        1e20 * stuart_maxwell(VISION).statistic, rel=1e-12
    )
    assert bowker(table).statistic == pytest.approx(1e20 * bowker(VISION).statistic, rel=1e-12)
    assert bowker(np.array(table, float)).statistic == pytest.approx(bowker(table).statistic)


def test_two_labels_have_one_test() -> None:
    for table in random_tables(2, 10):
        statistic = mcnemar(table).chi_square.statistic
        exact = Fraction(int(table[0, 1] - table[1, 0]) ** 2, int(table[0, 1] + table[1, 0]))
        assert statistic == pytest.approx(float(exact), rel=1e-14)
        assert stuart_maxwell(table).statistic == pytest.approx(statistic, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_exact_p_counts_the_ways(n: int) -> None:
    """Count all 2**n ways in which n disagreements can fall, by the number of the first kind."""
    for first in range(n + 1):
        distance = abs(2 * first - n)
        ways = sum(math.comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= distance)
        found = mcnemar([[3, first], [n - first, 4]]).exact_p_value
        assert found == pytest.approx(float(Fraction(ways, 2**n)), rel=1e-14)


@pytest.mark.parametrize(
    ("first", "second"),
    [(480, 520), (400, 600), (40, 960), (999, 1), (1000, 0), (499_000, 501_000)],
)
def test_exact_p_of_many_disagreements(first: int, second: int) -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    found = mcnemar([[0, first], [second, 0]]).exact_p_value
    expected = 2 * scipy_stats.binom.cdf(min(first, second), first + second, 0.5)
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [10**9 + 2, 10**12, 4 * 10**18])
@pytest.mark.parametrize("deviations", [0, 1, 3, 8])
def test_exact_p_of_a_table_beyond_memory(n: int, deviations: int) -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    first = n // 2 - deviations * math.isqrt(n) // 2
    found = mcnemar([[0, first], [n - first, 0]]).exact_p_value
    # SciPy has no exact sum for 10**18 throws either.
    of_normal = 2 * scipy_stats.norm.cdf((2 * first + 1 - n) / math.sqrt(n))
    exact = 2 * scipy_stats.binom.cdf(first, n, 0.5) if n < 10**13 else of_normal
    assert found == pytest.approx(min(1, exact), rel=1e-6)


def test_the_correction_does_not_go_beyond_0() -> None:
    # R's figure; statsmodels has (0 - 1)**2 / 10 here.
    assert mcnemar([[1, 5], [5, 1]]).corrected[:3] == (0.0, 1, 1.0)
    assert mcnemar([[1, 5], [6, 1]]).corrected[:3] == (0.0, 1, 1.0)


def test_a_pair_of_labels_that_does_not_occur_has_no_degree_of_freedom() -> None:
    table = [[5, 3, 0], [1, 5, 4], [0, 2, 5]]
    statistic, freedom, _, _ = bowker(table)
    assert (statistic, freedom) == (pytest.approx(4 / 4 + 4 / 6), 2)


def test_labels_without_disagreement_leave_the_margins_of_the_others() -> None:
    # The example that comes with Uebersax's program MH 1.2: 0.667 with 1 degree of freedom,
    # p .414, if the label without disagreements is left out.
    table = [[30, 0, 0], [0, 10, 2], [0, 4, 8]]
    assert stuart_maxwell(table)[:3] == (pytest.approx(2 / 3), 1, pytest.approx(0.414, abs=5e-4))
    assert stuart_maxwell(table) == stuart_maxwell([[10, 2], [4, 8]])
    # Unused labels have no effect either.
    wider = np.zeros((5, 5), int)
    wider[np.ix_([0, 2, 3], [0, 2, 3])] = table
    assert stuart_maxwell(wider) == stuart_maxwell(table)
    assert bhapkar(wider) == bhapkar(table)


def test_blocks_without_a_disagreement_between_them_add_up() -> None:
    one, other = np.array([[9, 4], [1, 7]]), FLEISS
    table = np.zeros((5, 5), int)
    # Interleaved, so that no block is a range of labels.
    table[np.ix_([0, 3], [0, 3])] = one
    table[np.ix_([1, 2, 4], [1, 2, 4])] = other
    found = stuart_maxwell(table)
    parts = stuart_maxwell(one), stuart_maxwell(other)
    assert found.statistic == pytest.approx(sum(part.statistic for part in parts), rel=1e-12)
    assert found.degrees_of_freedom == sum(part.degrees_of_freedom for part in parts) == 3


def test_the_order_of_labels_and_of_raters_does_not_matter() -> None:
    table = random_tables(4, 1)[0]
    order = [2, 0, 3, 1]
    for test in (bowker, stuart_maxwell, bhapkar):
        for other in (table.T, table[np.ix_(order, order)]):
            assert test(other).statistic == pytest.approx(test(table).statistic, rel=1e-11)


@pytest.mark.parametrize("table", [[[5]], [[5, 0], [0, 6]], np.diag([1, 2, 3]), [[0, 0], [0, 9]]])
def test_no_disagreement_is_undefined_with_the_reason(table: Any) -> None:
    for test in (bowker, stuart_maxwell, bhapkar):
        found = test(table)
        assert math.isnan(found.statistic)
        assert math.isnan(found.p_value)
        assert found[1::2] == (0, "the raters never disagree")
    if len(table) == 2:
        found_two = mcnemar(table)
        assert found_two.corrected.undefined == "the raters never disagree"
        assert math.isnan(found_two.exact_p_value)


def test_undefined_tests_say_so_in_the_report() -> None:
    text = str(agreement_from_confusion([[5, 0], [0, 6]]).margins)
    assert "undefined: the raters never disagree" in text
    text = str(agreement_from_confusion(np.diag([1, 2, 3])).margins)
    assert text.count("undefined: the raters never disagree") == 3


def test_bhapkar_without_variance_is_undefined() -> None:
    assert stuart_maxwell([[0, 10], [0, 0]])[:2] == (pytest.approx(10), 1)
    found = bhapkar([[0, 10], [0, 0]])
    assert math.isnan(found.statistic)
    assert "variance is 0" in found.undefined
    assert not math.isnan(bhapkar([[1, 10], [0, 0]]).statistic)


def test_refusals() -> None:
    for test in (bowker, stuart_maxwell, bhapkar, mcnemar):
        for table, message in (
            ([[1, 2, 3], [4, 5, 6]], "table must have the shape"),
            ([[1, -2], [3, 4]], "negative"),
            ([[0.5, 1], [1, 1]], "whole counts"),
            ([[0, 0], [0, 0]], "empty"),
        ):
            with pytest.raises(ValueError, match=message):
                test(table)
    with pytest.raises(ValueError, match="two labels, got 3"):
        mcnemar(FLEISS)


def test_the_size_of_the_tests() -> None:
    """Under equal margins, p is below 5 % in about 5 % of all tables, by enumeration."""
    n, rejected = 40, 0.0
    for first in range(n + 1):
        p_value = mcnemar([[50, first], [n - first, 50]]).chi_square.p_value
        rejected += math.comb(n, first) / 2**n * (p_value < 0.05)
    assert 0.03 < rejected < 0.07
    rng = np.random.default_rng(5)
    rates = np.array([[10, 3, 1], [3, 9, 2], [1, 2, 9]]) / 40
    tables = rng.multinomial(200, rates.ravel(), 300).reshape(-1, 3, 3)
    for test in (bowker, stuart_maxwell, bhapkar):
        share = np.mean([test(table).p_value < 0.05 for table in tables])
        assert 0.02 < share < 0.08


def test_results_of_an_agreement() -> None:
    result = agreement_from_confusion(VISION, labels=["1", "2", "3", "4"])
    margins = result.margins
    assert margins.stuart_maxwell == stuart_maxwell(VISION)
    assert margins.bowker == bowker(VISION)
    assert margins.mcnemar is None
    assert margins.first.tolist() == np.sum(VISION, axis=1).tolist()
    text = str(margins)
    assert "margins, Stuart-Maxwell     11.9566         3    0.0075" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "p of Stuart-Maxwell test    0.0075" in str(result)
    frame = margins.to_frame()
    assert frame.loc["symmetry, Bowker", "degrees_of_freedom"] == 6
    assert margins.to_dict()["bhapkar"]["statistic"] == bhapkar(VISION).statistic
    assert repr(margins) == "<MarginTests: 4 labels, p of equal margins 0.0075>"
    two = agreement_from_confusion(APPROVAL).margins
    assert "McNemar, exact" in str(two)
    assert two.to_dict()["mcnemar"]["counts"] == [150, 86]
    assert set(two.to_frame().index) == {"McNemar", "McNemar, corrected"}


def test_all_small_tables_have_sensible_tests() -> None:
    """Yield every table of three labels with counts 0 and 1 off the diagonal."""
    for beside in product((0, 1), repeat=6):
        table = np.ones((3, 3), int)
        table[~np.eye(3, dtype=bool)] = beside
        for test in (bowker, stuart_maxwell, bhapkar):
            statistic, freedom, p_value, undefined = test(table)
            assert bool(undefined) == math.isnan(statistic) == math.isnan(p_value)
            if not undefined:
                assert statistic >= 0
                assert freedom >= 1
                assert 0 <= p_value <= 1


def test_the_mean_rank_says_which_rater_grades_higher() -> None:
    """The first rater's grades 1 to 3 have the mean 2, and the second rater's have the mean 1.6."""
    y1, y2 = [1, 2, 3, 3, 1], [1, 1, 3, 2, 1]
    result = agreement(y1, y2, weights="linear")
    assert result.margins.mean_rank_difference == pytest.approx(2 - 1.6)
    assert "mean rank, first minus second 0.4000" in " ".join(str(result).split())
    # Without weights, labels have no order.
    assert "mean rank" not in str(agreement(y1, y2))

"""Test whether two raters have equal margins, and whether their disagreements are symmetric.

Only disagreements carry information. Under symmetry, an item with the labels i and j is equally
likely to have them in either order. With counts n_ij, the differences between the margins then have
the covariance matrix

    S_ij = -(n_ij + n_ji), S_ii = -sum of the other entries in row i.

This matrix is singular. Labels that are connected by a chain of disagreements form a block, and the
differences within a block sum to 0. One label per block is left out, so the degrees of freedom are
the number of labels minus the number of blocks. A label without disagreements forms its own block.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.clusters import Clusters, are_joined
from fastkappa.statistics.distributions import f_tail
from fastkappa.statistics.inference import chi_square_p
from fastkappa.statistics.tables import as_counts

TOO_FEW_CLUSTERS = "there are too few clusters with a disagreement"
NEVER_DISAGREE = "the raters never disagree"
# If the Stuart-Maxwell statistic is this close to the number of items, relative to that number, the
# difference is attributed to rounding.
ROUNDING = 1e-12
# With more coin tosses than this, the normal approximation is accurate to a millionth within ten
# standard deviations.
MOST_THROWS = 10**9


class ChiSquareTest(NamedTuple):
    """A chi-square test.

    Attributes
    ----------
    statistic : float
        The test statistic, at least 0; NaN if it is undefined.
    degrees_of_freedom : int
        The degrees of freedom of the distribution; 0 if there is nothing to test.
    p_value : float
        The probability of a statistic at least as large under the null hypothesis.
    undefined : str
        The reason why the statistic is NaN, or an empty string.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    undefined: str = ""


class McNemar(NamedTuple):
    """McNemar's test for two labels, in three forms.

    Attributes
    ----------
    counts : tuple of int
        The number of items that got the first label only from the first rater, and the number that
        got it only from the second rater.
    chi_square : ChiSquareTest
        McNemar's original test, which is the same as the Bowker and Stuart-Maxwell tests of two
        labels.
    corrected : ChiSquareTest
        The test with the continuity correction of Edwards (1948).
    exact_p_value : float
        The two-sided p-value of the binomial test, for use with few disagreements. NaN if there are
        no disagreements.
    """

    counts: tuple[int, int]
    chi_square: ChiSquareTest
    corrected: ChiSquareTest
    exact_p_value: float


def bowker(table: ArrayLike) -> ChiSquareTest:
    """Return Bowker's test of symmetry: each disagreement is as frequent as its reverse.

    Parameters
    ----------
    table : array-like of shape (l, l)
        Counts; rows are the first rater's ratings.

    Returns
    -------
    test : ChiSquareTest
        The test. Its degrees of freedom are the number of label pairs with a disagreement. Other
        pairs add nothing to the statistic.

    Raises
    ------
    ValueError
        If the table is empty or not square, or has counts that are negative or not whole.

    References
    ----------
    A. H. Bowker (1948). A test for symmetry in contingency tables. Journal of the American
    Statistical Association 43, 572-574.

    Examples
    --------
    Unaided vision of 7477 women, right eye and left eye (Stuart 1955):

    >>> from fastkappa.two_raters.statistics.margins import bowker
    >>> vision = [
    ...     [1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]
    ... ]
    >>> statistic, freedom, p_value, _ = bowker(vision)
    >>> round(statistic, 4), freedom, round(p_value, 5)
    (19.1066, 6, 0.00399)
    """
    counts = _exact_counts(table)
    either = counts + counts.T
    np.fill_diagonal(either, 0)
    found = np.asarray(either != 0)
    freedom = int(np.count_nonzero(found)) // 2
    if freedom == 0:
        return ChiSquareTest(math.nan, 0, math.nan, NEVER_DISAGREE)
    difference = (counts - counts.T)[found].astype(np.float64)
    # The sum contains each pair of labels twice, so it is halved.
    statistic = float((difference * difference / either[found].astype(np.float64)).sum()) / 2
    return ChiSquareTest(statistic, freedom, chi_square_p(statistic, freedom))


def stuart_maxwell(table: ArrayLike, clusters: Clusters | None = None) -> ChiSquareTest:
    """Return the Stuart-Maxwell test of whether both raters use each label equally often.

    Parameters
    ----------
    table : array-like of shape (l, l)
        Counts; rows are the first rater's ratings.
    clusters : Clusters or None, default=None
        The clusters of the items, if the items are not independent. The covariance is then computed
        from the sums within clusters. For two labels, this is the method of Durkalski et al.
        (2003).

    Returns
    -------
    test : ChiSquareTest
        The test. Its degrees of freedom are the number of labels minus 1, or fewer if a label has
        no disagreements or if there are groups of labels with no disagreements between groups.

    Raises
    ------
    ValueError
        If the table is empty or not square, or has counts that are negative or not whole.

    References
    ----------
    A. Stuart (1955). A test for homogeneity of the marginal distributions in a two-way
    classification. Biometrika 42, 412-416.

    A. E. Maxwell (1970). Comparing the classification of subjects by two independent judges.
    British Journal of Psychiatry 116, 651-655.

    V. L. Durkalski, Y. Y. Palesch, S. R. Lipsitz and P. F. Rust (2003). Analysis of clustered
    matched-pair data. Statistics in Medicine 22, 2417-2428.

    Examples
    --------
    >>> from fastkappa.two_raters.statistics.margins import stuart_maxwell
    >>> vision = [
    ...     [1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]
    ... ]
    >>> statistic, freedom, p_value, _ = stuart_maxwell(vision)
    >>> round(statistic, 4), freedom, round(p_value, 5)
    (11.9566, 3, 0.00753)
    """
    counts = _exact_counts(table)
    between = counts + counts.T
    np.fill_diagonal(between, 0)
    difference = (counts.sum(axis=1) - counts.sum(axis=0)).astype(np.float64)
    # The matrix is computed in whole numbers, so that its rows sum to exactly 0.
    covariance: FloatTable = (np.diag(between.sum(axis=1)) - between).astype(np.float64)
    blocks = _blocks(between > 0)
    kept = np.flatnonzero(blocks != np.arange(len(blocks)))
    if len(kept) == 0:
        return ChiSquareTest(math.nan, 0, math.nan, NEVER_DISAGREE)
    if are_joined(clusters):
        covariance = _covariance_of_clusters(len(counts), clusters)
        if np.linalg.matrix_rank(covariance[np.ix_(kept, kept)], hermitian=True) < len(kept):
            return ChiSquareTest(math.nan, 0, math.nan, TOO_FEW_CLUSTERS)
    solved = np.linalg.solve(covariance[np.ix_(kept, kept)], difference[kept])
    statistic = max(float(difference[kept] @ solved), 0.0)
    return ChiSquareTest(statistic, len(kept), chi_square_p(statistic, len(kept)))


def _covariance_of_clusters(n_labels: int, clusters: Clusters) -> FloatTable:
    """Return the (l, l) covariance matrix of the margin differences under the null hypothesis."""
    apart = np.zeros((n_labels, n_labels, n_labels))
    every = np.arange(n_labels)
    apart[every, every] += 1
    apart[every, :, every] -= 1
    return clusters.products(apart.reshape(n_labels, -1))


def bhapkar(table: ArrayLike) -> ChiSquareTest:
    """Return Bhapkar's Wald test of equal margins.

    Its variance is computed without assuming equal margins. The statistic is W / (1 - W / n), where
    W is the statistic of `stuart_maxwell` and n is the number of items. It is never below W, and
    close to W if W is much smaller than n. Parameters and errors are as in `stuart_maxwell`.

    Returns
    -------
    test : ChiSquareTest
        The test. Unlike the Stuart-Maxwell test, it is undefined if all items differ in the same
        way, because the variance is then 0.

    References
    ----------
    V. P. Bhapkar (1966). A note on the equivalence of two test criteria for hypotheses in
    categorical data. Journal of the American Statistical Association 61, 228-235.

    Examples
    --------
    >>> from fastkappa.two_raters.statistics.margins import bhapkar
    >>> vision = [
    ...     [1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]
    ... ]
    >>> statistic, freedom, p_value, _ = bhapkar(vision)
    >>> round(statistic, 4), freedom, round(p_value, 5)
    (11.9757, 3, 0.00747)
    """
    return bhapkar_from(stuart_maxwell(table), float(_exact_counts(table).sum()))


def bhapkar_from(test: ChiSquareTest, n: float) -> ChiSquareTest:
    """Compute Bhapkar's test from the result of `stuart_maxwell` and the number of items."""
    left = n - test.statistic
    if left <= ROUNDING * n:
        same = "all items differ in the same way, so the variance is 0"
        return ChiSquareTest(math.nan, test.degrees_of_freedom, math.nan, same)
    statistic = test.statistic * (n / left)
    p_value = chi_square_p(statistic, test.degrees_of_freedom)
    return ChiSquareTest(statistic, test.degrees_of_freedom, p_value, test.undefined)


def mcnemar(table: ArrayLike) -> McNemar:
    """Return McNemar's test of whether both raters use the first of two labels equally often.

    Parameters
    ----------
    table : array-like of shape (2, 2)
        Counts; rows are the first rater's ratings.

    Returns
    -------
    tests : McNemar

    Raises
    ------
    ValueError
        If the table is empty, does not have shape (2, 2), or has counts that are negative or not
        whole.

    References
    ----------
    Q. McNemar (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika 12, 153-157.

    A. L. Edwards (1948). Note on the "correction for continuity" in testing the significance
    of the difference between correlated proportions. Psychometrika 13, 185-187.

    Examples
    --------
    Approval of the Prime Minister by 1600 British citizens, asked twice (Agresti 1990):

    >>> from fastkappa.two_raters.statistics.margins import mcnemar
    >>> tests = mcnemar([[794, 150], [86, 570]])
    >>> round(tests.chi_square.statistic, 4), round(tests.corrected.statistic, 4)
    (17.3559, 16.8178)
    >>> round(tests.exact_p_value, 8)
    3.716e-05
    """
    counts = _exact_counts(table)
    if len(counts) != 2:
        raise ValueError(
            f"table must have two labels, got {len(counts)}. For more labels, use bowker."
        )
    one, other = int(counts[0, 1]), int(counts[1, 0])
    n = one + other
    if n == 0:
        none = ChiSquareTest(math.nan, 0, math.nan, NEVER_DISAGREE)
        return McNemar((0, 0), none, none, math.nan)
    # The correction moves the difference towards 0, but never past 0.
    corrected = max(abs(one - other) - 1, 0) ** 2 / n
    return McNemar(
        (one, other),
        bowker(counts),
        ChiSquareTest(corrected, 1, chi_square_p(corrected, 1)),
        min(1.0, 2 * _fair_coin_tail(min(one, other), n)),
    )


def _exact_counts(table: ArrayLike) -> AnyArray:
    """Return validated counts as integers, so that sums and differences are exact."""
    counts = as_counts(table)
    return counts if counts.dtype.kind != "f" else np.asarray(np.frompyfunc(int, 1, 1)(counts))


def _blocks(linked: AnyArray) -> AnyArray:
    """Return, for each label, the first label of its block. Linked labels share a block."""
    first = np.arange(len(linked))
    while True:
        nearest = np.where(linked, first, len(linked)).min(axis=1)
        if (nearest >= first).all():
            return first
        first = np.minimum(first, nearest)


def _fair_coin_tail(k: int, n: int) -> float:
    """Return the probability of at most ``k`` heads in ``n`` fair tosses, for k <= n / 2."""
    if n > MOST_THROWS:
        return math.erfc((n - 2 * k - 1) / math.sqrt(2 * n)) / 2
    return f_tail((n - k) / (k + 1), 2 * (k + 1), 2 * (n - k))

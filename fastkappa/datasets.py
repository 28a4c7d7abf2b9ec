"""Load published ratings: confusion matrices of two raters, and ratings by several raters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastkappa.arrays import AnyArray, IntTable

__all__ = ["RatedItems", "RatedTable", "load", "load_items", "names"]

_LANDIS_KOCH = (
    "K. B. Westlund and L. T. Kurland (1953). Studies on multiple sclerosis in Winnipeg,"
    " Manitoba, and New Orleans, Louisiana. American Journal of Hygiene 57, 380-396; as"
    " tabled by J. R. Landis and G. G. Koch (1977). The measurement of observer agreement"
    " for categorical data. Biometrics 33, 159-174."
)
_NEUROLOGISTS = ("neurologist from New Orleans", "neurologist from Winnipeg")
_SCLEROSIS = "1 certain, 2 probable, 3 possible, 4 doubtful or no multiple sclerosis"


@dataclass(frozen=True, eq=False)
class RatedTable:
    """A published confusion matrix of two raters.

    Attributes
    ----------
    name : str
        The name to pass to `load`.
    table : ndarray of shape (l, l)
        ``table[i, j]`` is the number of items rated ``labels[i]`` by the first rater and
        ``labels[j]`` by the second.
    labels : tuple of int or of str
        The labels, in their natural order if they have one, otherwise sorted.
    raters : tuple of str
        The names of the first and second raters.
    source : str
        The publication that contains the table.
    description : str
        A description of the rated items and of the meaning of the labels.
    """

    name: str
    table: IntTable
    labels: tuple[int, ...] | tuple[str, ...]
    raters: tuple[str, str]
    source: str
    description: str

    def expand(self) -> tuple[AnyArray, AnyArray]:
        """Convert the table to two arrays of ratings, with one rating per item in each array.

        The items are in the order of the table's cells, row by row.

        Returns
        -------
        y1, y2 : ndarray of shape (n,)
            The ratings by the first rater (``y1``) and by the second rater (``y2``). The dtype is
            int8 if the labels are numbers; otherwise, the arrays contain strings.

        Examples
        --------
        >>> from fastkappa import cohen_kappa_score, datasets
        >>> y1, y2 = datasets.load("fleiss_1981").expand()
        >>> len(y1), round(cohen_kappa_score(y1, y2), 3)
        (100, 0.676)
        """
        numbers = isinstance(self.labels[0], int)
        labels = np.array(self.labels, dtype=np.int8 if numbers else np.str_)
        cells = np.repeat(np.arange(self.table.size), self.table.ravel())
        rows, columns = np.divmod(cells, len(labels))
        return labels[rows], labels[columns]


def names() -> tuple[str, ...]:
    """Return the names of all tables that `fastkappa.datasets.load` can return.

    Examples
    --------
    >>> from fastkappa import datasets
    >>> "cohen_1968" in datasets.names()
    True
    """
    return tuple(_TABLES)


def load(name: str) -> RatedTable:
    """Return a published table.

    Parameters
    ----------
    name : str
        One of the names that `names` returns.

    Returns
    -------
    rated : RatedTable

    Raises
    ------
    ValueError
        If there is no table with that name.

    Examples
    --------
    >>> from fastkappa import datasets, kappa_from_confusion
    >>> rated = datasets.load("diabetic_retinopathy")
    >>> rated.table
    array([[12155,   407,   295,     3,    11],
           [  435,   600,   171,     2,     4],
           [  336,   222,  1998,    96,    50],
           [    3,     1,    87,   307,    27],
           [   10,     1,    39,    40,   263]])
    >>> round(kappa_from_confusion(rated.table, weights="quadratic"), 4)
    0.8545
    """
    if name not in _TABLES:
        raise ValueError(f"name must be one of {', '.join(_TABLES)}, got {name!r}.")
    table, labels, raters, source, description = _TABLES[name]
    return RatedTable(name, np.array(table, np.int64), labels, raters, source, description)


@dataclass(frozen=True, eq=False)
class RatedItems:
    """Published ratings of the same items by several raters.

    Attributes
    ----------
    name : str
        The name to pass to `load_items`.
    ratings : ndarray of shape (n, r)
        An int8 array with one row per item and one column per rater. `fastkappa.fleiss_kappa` and
        the other coefficients for several raters accept this array.
    labels : tuple of int
        The labels, in order.
    raters : tuple of str
        The name of the rater in each column.
    source : str
        The publication that contains the ratings.
    description : str
        A description of the rated items and of the meaning of the labels.
    """

    name: str
    ratings: AnyArray
    labels: tuple[int, ...]
    raters: tuple[str, ...]
    source: str
    description: str


def load_items(name: str) -> RatedItems:
    """Return published ratings of the same items by several raters.

    Parameters
    ----------
    name : {'anaesthetists'}
        The name of the data set.

    Returns
    -------
    rated : RatedItems

    Raises
    ------
    ValueError
        If there is no data set with that name.

    Examples
    --------
    >>> from fastkappa import datasets, krippendorff_alpha
    >>> rated = datasets.load_items("anaesthetists")
    >>> rated.ratings.shape, rated.raters[:4]
    ((45, 7), ('1', '1 again', '1 a third time', '2'))
    >>> krippendorff_alpha(rated.ratings[:, [0, 3, 4, 5, 6]], level="ordinal")
    <Krippendorff's alpha (ordinal): 0.8119 (0.6632 to 0.8820), 45 items, 5 raters>
    """
    if name not in _ITEMS:
        raise ValueError(f"name must be one of {', '.join(_ITEMS)}, got {name!r}.")
    digits, raters, source, description = _ITEMS[name]
    ratings = np.array([list(item) for item in digits.split()], dtype=np.int8)
    labels = tuple(np.unique(ratings).tolist())
    return RatedItems(name, ratings, labels, raters, source, description)


# Each group of digits contains the ratings of one item, with one digit per rater.
_ITEMS: dict[str, tuple[str, tuple[str, ...], str, str]] = {
    "anaesthetists": (
        """
        1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444
        2223343 1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221
        2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111
        2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111
        2222222
        """,
        ("1", "1 again", "1 a third time", "2", "3", "4", "5"),
        "A. P. Dawid and A. M. Skene (1979). Maximum likelihood estimation of observer error-rates"
        " using the EM algorithm. Applied Statistics 28, 20-28.",
        "How fit for anaesthesia 45 patients were, from 1 (fit) to 4, by five anaesthetists who"
        " read the same questionnaires; the first did so three times, some weeks apart.",
    ),
}

_TABLES: dict[
    str,
    tuple[list[list[int]], tuple[int, ...] | tuple[str, ...], tuple[str, str], str, str],
] = {
    "diabetic_retinopathy": (
        [
            [12155, 407, 295, 3, 11],
            [435, 600, 171, 2, 4],
            [336, 222, 1998, 96, 50],
            [3, 1, 87, 307, 27],
            [10, 1, 39, 40, 263],
        ],
        (0, 1, 2, 3, 4),
        ("left eye", "right eye"),
        "Training labels of the Kaggle competition Diabetic Retinopathy Detection (2015), whose"
        " metric was the kappa with quadratic weights.",
        "Grades of diabetic retinopathy in both eyes of 17563 patients: 0 none, 1 mild,"
        " 2 moderate, 3 severe, 4 proliferative.",
    ),
    "cohen_1968": (
        [[88, 14, 18], [10, 40, 10], [2, 6, 12]],
        (1, 2, 3),
        ("first rater", "second rater"),
        "J. Cohen (1968). Weighted kappa: nominal scale agreement with provision for scaled"
        " disagreement or partial credit. Psychological Bulletin 70, 213-220.",
        "200 subjects in three categories, published as proportions. This example introduced"
        " weighted kappa. Its disagreement weights are [[0, 1, 3], [1, 0, 6], [3, 6, 0]].",
    ),
    "fleiss_cohen_everitt_1969": (
        [[106, 10, 4], [22, 28, 10], [2, 12, 6]],
        (1, 2, 3),
        ("first rater", "second rater"),
        "J. L. Fleiss, J. Cohen and B. S. Everitt (1969). Large sample standard errors of kappa"
        " and weighted kappa. Psychological Bulletin 72, 323-327.",
        "200 subjects in three categories. The paper's example for the standard errors of kappa.",
    ),
    "fleiss_1981": (
        [[75, 1, 4], [5, 4, 1], [0, 0, 10]],
        (1, 2, 3),
        ("first rater", "second rater"),
        "J. L. Fleiss (1981). Statistical Methods for Rates and Proportions, second edition,"
        " p. 213. Wiley.",
        "Diagnoses of 100 subjects in three categories.",
    ),
    "multiple_sclerosis_winnipeg": (
        [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]],
        (1, 2, 3, 4),
        _NEUROLOGISTS,
        _LANDIS_KOCH,
        f"Diagnoses of 149 patients in Winnipeg: {_SCLEROSIS}.",
    ),
    "multiple_sclerosis_new_orleans": (
        [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]],
        (1, 2, 3, 4),
        _NEUROLOGISTS,
        _LANDIS_KOCH,
        f"Diagnoses of 69 patients in New Orleans: {_SCLEROSIS}.",
    ),
    "unaided_vision": (
        [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]],
        (1, 2, 3, 4),
        ("right eye", "left eye"),
        "A. Stuart (1955). A test for homogeneity of the marginal distributions in a two-way"
        " classification. Biometrika 42, 412-416.",
        "Unaided distance vision of both eyes of 7477 women aged 30 to 39, employed in Royal"
        " Ordnance factories: 1 the highest grade, 4 the lowest.",
    ),
    "approval_twice": (
        [[794, 150], [86, 570]],
        ("approve", "disapprove"),
        ("first survey", "second survey"),
        "A. Agresti (1990). Categorical Data Analysis, p. 350. Wiley.",
        "Whether 1600 British citizens approve of the Prime Minister's performance, asked twice.",
    ),
    "skin_condition": (
        [[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]],
        (1, 2, 3, 4),
        ("first dermatologist", "second dermatologist"),
        "SAS/STAT User's Guide, the FREQ procedure, agreement study.",
        "A skin condition of 88 patients, rated by two dermatologists: 1 terrible, 2 poor,"
        " 3 marginal, 4 clear.",
    ),
    "salmon_antibody_test": (
        [[256, 6], [10, 19]],
        ("negative", "positive"),
        ("first laboratory", "second laboratory"),
        "Documentation of epi.kappa in the R package epiR, its first example.",
        "Kidney samples of 291 salmon, split and tested by immunofluorescence (IFAT) in two"
        " laboratories.",
    ),
}

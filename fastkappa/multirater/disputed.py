"""Find the items that raters disagree on most, for adjudication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable, IntTable
from fastkappa.formatting import SET_SEPARATOR, figure, label_text, printable, set_text
from fastkappa.frame import data_frame
from fastkappa.multirater.estimation import read_weights
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.chance_corrected import distances_of
from fastkappa.multirater.statistics.set_distances import SetLevel
from fastkappa.results.csv_rows import as_csv
from fastkappa.results.report import Grid, Report
from fastkappa.results.result import Result
from fastkappa.statistics.weights import Weights

# The maximum number of items in a report.
MOST_SHOWN = 10
# The maximum number of labels in a single cell of a report.
MOST_LABELS = 4


@dataclass(frozen=True, eq=False, repr=False)
class DisputedItems(Result):
    """Items that raters disagree on, most disputed first.

    Attributes
    ----------
    items : ndarray of shape (k,)
        The names of the items or, if they have no names, their positions, counted from 0.
    disagreement : ndarray of shape (k,)
        For each item, the mean distance between the ratings of two raters, taken over all pairs of
        raters. Without weights, this is the proportion of pairs of raters who disagree.
    label_counts : ndarray of int, shape (k, l)
        The number of raters who gave each label to each item.

    ratings : ndarray of object, shape (k, R), or None
        Each rater's rating of each item, with None for a missing rating. ``ratings`` is None if it
        is unknown which rater gave which rating.
    labels : ndarray of shape (l,)
        The labels.
    rater_names : tuple of str, or None
        The names of the raters.

    n_disputed : int
        The number of items with any disagreement, including items that are left out of ``items``
        because of ``most``.
    n_items : int
        The number of items with at least two ratings.
    """

    items: AnyArray
    disagreement: FloatTable
    label_counts: IntTable
    ratings: AnyArray | None
    labels: AnyArray
    rater_names: tuple[str, ...] | None
    n_disputed: int
    n_items: int

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per item.

        The index contains the names or positions of the items. The data frame has a column
        ``disagreement`` and one column per rater. If it is unknown which rater gave which rating,
        there is one column per label instead.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        names, columns = self._columns()
        named = {"disagreement": self.disagreement, **dict(zip(names, columns))}
        return data_frame(named, ("item", self.items.tolist()))

    def most(self, n: int) -> list[dict[str, Any]]:
        """Return the n most disputed items as dicts.

        The keys are ``item`` and the column names of `to_frame`.
        """
        names, columns = self._columns()
        rows = zip(self.items[:n].tolist(), self.disagreement[:n].tolist(), *columns)
        return [dict(zip(("item", "disagreement", *names), row)) for row in rows]

    def to_csv(self, *, set_separator: str = SET_SEPARATOR) -> str:
        """Return CSV text for adjudication, with one row per item and an empty last column.

        The columns are ``item``, the columns of `to_frame`, ``majority`` and ``adjudicated``.
        ``majority`` is the label given by more than half of the item's raters; it is empty if there
        is no such label. The labels of a set are joined by ``set_separator``, and an empty set is
        written as ``[]``.
        """
        names, columns = self._columns(set_separator)
        majority = [_cell_of(label, set_separator) for label in self._majority()]
        cells = zip(self.items.tolist(), self.disagreement.tolist(), *columns, majority)
        head = ["item", "disagreement", *names, "majority", "adjudicated"]
        return as_csv(head, ([*row, None] for row in cells), n_given=1)

    def _majority(self) -> list[Any]:
        """Return, for each item, the label that more than half of its raters gave, or None."""
        best = self.labels[self.label_counts.argmax(axis=1)].tolist()
        is_most = 2 * self.label_counts.max(axis=1) > self.label_counts.sum(axis=1)
        return [label if most else None for label, most in zip(best, is_most.tolist())]

    def _columns(self, set_separator: str = SET_SEPARATOR) -> tuple[list[str], list[list[Any]]]:
        if self.ratings is None:
            names = [
                f"ratings {label_text(_cell_of(label, set_separator))}"
                for label in self.labels.tolist()
            ]
            return names, self.label_counts.T.tolist()
        columns = [
            [_cell_of(rating, set_separator) for rating in column]
            for column in self.ratings.T.tolist()
        ]
        return list(self.rater_names or ()), columns

    def __repr__(self) -> str:
        return f"<DisputedItems: {self.n_disputed} of {self.n_items} items>"

    def _report(self) -> Report:
        shown = slice(0, MOST_SHOWN)
        cells = zip(
            self.items[shown].tolist(),
            self.disagreement[shown].tolist(),
            self.label_counts[shown].tolist(),
        )
        rows = [
            (printable(item), figure(apart, digits=2), self._given(counts))
            for item, apart, counts in cells
        ]
        said = f"{self.n_disputed} of {self.n_items} items are disputed"
        if not rows:
            return Report([said])
        caption = f"{said}; the most disputed"
        head = ("item", "disagreement", "labels (times, if several)")
        grid = Grid(head, rows, least_width=0, caption=caption, above=caption, text_columns=[2])
        return Report([], [grid])

    def _given(self, counts: list[int]) -> str:
        """Return the labels that an item received, most frequent first."""
        given = [(n, label_text(label)) for n, label in zip(counts, self.labels.tolist()) if n]
        given.sort(key=lambda pair: -pair[0])
        named = [f"{label} ({n})" if n > 1 else label for n, label in given[:MOST_LABELS]]
        return ", ".join([*named, *(["..."] if len(given) > MOST_LABELS else [])])


def _cell_of(label: Any, set_separator: str) -> Any:
    """Return a label as a table cell, converting a set to text."""
    return set_text(label, set_separator) if isinstance(label, frozenset) else label


def disputed_items(
    ratings: Any,
    *,
    weights: Weights | SetLevel = None,
    most: int | None = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
) -> DisputedItems:
    """Return the items that raters disagree on, most disputed first.

    Parameters
    ----------
    ratings : array-like of shape (n_subjects, n_raters), or Ratings
        As in `fleiss_kappa`.
    weights : {'linear', 'quadratic', 'jaccard', 'masi'}, array-like of shape (l, l) or None, \
default=None
        Disagreement weights, as in `fleiss_kappa`. For ratings that are sets, 'jaccard' and 'masi'
        select the same distances as in `krippendorff_alpha`.
    most : int, default=None
        The maximum number of items to return. By default, all items with any disagreement are
        returned.
    labels, missing_codes
        Passed to `Ratings.from_array`; valid only if ``ratings`` is an array.

    Returns
    -------
    disputed : DisputedItems
        Items with equal disagreement stay in their original order.

    Raises
    ------
    ValueError
        As in `fleiss_kappa`. An error is also raised if ratings come from a confusion matrix,
        which does not identify items, or if ``most`` is below 1.

    Examples
    --------
    >>> from fastkappa import Ratings, disputed_items
    >>> ratings = Ratings.from_raters(
    ...     {"Ann": ["a", "b", "a"], "Ben": ["a", "c", "a"], "Cat": ["a", "a", "b"]}
    ... )
    >>> found = disputed_items(ratings)
    >>> found.items.tolist(), found.disagreement.round(2).tolist()
    ([1, 2], [1.0, 0.67])
    >>> print(found.to_csv())
    item,disagreement,Ann,Ben,Cat,majority,adjudicated
    1,1.0,b,c,a,,
    2,0.6666666666666666,a,a,b,a,
    """
    if most is not None and most < 1:
        raise ValueError(f"most must be 1 or more, got {most!r}.")
    given = Ratings.of(ratings, labels, missing_codes)
    places, patterns = given.counted.places(False), given.patterns
    sums = patterns.distances(distances_of(read_weights(given, weights), len(given.labels)))
    apart = sums / np.maximum(patterns.n_ratings * (patterns.n_ratings - 1), 1)
    disputed = apart > 0
    n_disputed = int(patterns.multiplicities[disputed].sum())
    if most is not None and most < n_disputed:
        # Only the items of the most disputed patterns are sorted.
        order = np.argsort(-apart)
        enough = np.searchsorted(np.cumsum(patterns.multiplicities[order]), most)
        disputed = apart >= apart[order[enough]]
    # Items without ratings have the index -1, which selects the appended False.
    found = np.flatnonzero(np.append(disputed, False)[places])
    chosen = found[np.argsort(-apart[places[found]], kind="stable")][:most]
    names = None if given.counted.subjects is None else given.counted.subjects.items
    return DisputedItems(
        chosen if names is None else names[chosen],
        apart[places[chosen]],
        patterns.counts[places[chosen]].astype(np.int64),
        _ratings_of(given, chosen) if given.counted.knows_raters else None,
        given.labels,
        given.rater_names,
        n_disputed,
        given.n_paired,
    )


def _ratings_of(given: Ratings, chosen: AnyArray) -> AnyArray:
    """Return the ratings of the chosen items as objects, with None for missing ratings."""
    names = np.array([*given.labels.tolist(), None], dtype=object)
    found: AnyArray = names[given.counted.profiles.codes_of(given.counted.places(True)[chosen])]
    return found

"""Detect columns that were probably passed as raters by mistake, or that use other codes.

A column can contain a consensus of the raters, a copy of another column, or ids. It can also code
the labels differently from the other columns. A real expert can agree with the majority as often as
a consensus does, so a column is reported as a summary only if its name suggests a summary. A copy
can be detected from the ratings alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.formatting import percent_text
from fastkappa.ratings.doubtful_labels import SOME_ITEMS, warn
from fastkappa.ratings.label_order import is_alphabetical
from fastkappa.ratings.read import warn_of_own_name
from fastkappa.ratings.real_numbers import warn_of_codes_among_labels
from fastkappa.tables.doubtful_orders import judge_codes, judge_sorted_alone
from fastkappa.tables.doubtful_tables import (
    warn_of_codings,
    warn_of_end,
    warn_of_strangers,
    warn_of_totals,
)
from fastkappa.tables.two_codings import FEWEST_APART, MOST_LABELS, not_told_apart, two_names

COMPUTED = re.compile(
    r"(?<![^\W_])(consensus|majority|mode|votes?|adjudicat\w*?|curat\w*?|final|gold|mean|average|avg"
    r"|median|total|sum)(?![^\W_])",
    re.IGNORECASE,
)
# With fewer items than this, each rating by a rater can be the item's most frequent one by chance.
FEWEST_ITEMS = 20
# Two raters are reported as copies if the probability that they always agree by chance is less than
# this.
BY_CHANCE = 1e-3
# With more raters than this, their labels are not compared. Among many raters, one with few items
# is likely to use labels that nobody else used.
MOST_JUDGED = 20
# The maximum number of pairs of copies to report.
MOST_COPIES = 3
# A rater counts as an adjudicator under two conditions. First, the rater rated at least
# FEWEST_ADJUDICATED items, and the other raters disagree on a proportion of at least NEARLY_ALL of
# them. Second, the other raters agree on the same proportion of the remaining items, and on at
# least FEWEST_ITEMS of them.
FEWEST_ADJUDICATED, NEARLY_ALL = 10, 0.95

# Complete agreement is reported only if there are at least FEWEST_UNANIMOUS items, and at least
# FEWEST_OF_OTHERS of them have a label other than the most frequent one. Otherwise, the task can
# simply be easy.
FEWEST_UNANIMOUS, FEWEST_OF_OTHERS = 100, 20


def warn_of_derived(codes: AnyArray, labels: AnyArray, names: Sequence[str]) -> bool:
    """Warn about columns that seem to be computed or copied from other columns.

    ``codes`` has one row per rater and one column per item. Each code is the position of a label,
    or ``len(labels)`` for a missing rating. Return whether a column seems to be computed.
    """
    if len(names) < 3:
        return False
    _warn_of_copies(codes, len(labels), names)
    if not _warn_of_adjudicator(codes, len(labels), names):
        warn_of_added_votes(*_disputes(codes, len(labels)))
    complete = codes[:, (codes < len(labels)).all(axis=0)]
    if complete.shape[1] < FEWEST_ITEMS:
        return False
    places = [place for place, name in enumerate(names) if COMPUTED.search(name)]
    found = [_warn_of_summary(complete, labels, place, names) for place in places]
    return any(found)


def _disputes(codes: AnyArray, n_labels: int) -> tuple[AnyArray, AnyArray]:
    """Return the number of ratings per item, and a mask of the items with different ratings."""
    n_ratings, lowest, highest = ratings_of_items(codes, n_labels)
    return n_ratings, highest > lowest


def ratings_of_items(codes: AnyArray, n_labels: int) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the number of ratings and the lowest and highest code of each item."""
    rated = codes < n_labels
    highest = np.where(rated, codes.astype(np.int64), -1).max(axis=0)
    return rated.sum(axis=0), codes.min(axis=0), highest


def warn_of_unanimity(n_ratings: AnyArray, lowest: AnyArray, highest: AnyArray) -> None:
    """Warn if raters agree on all items, because their columns probably describe the items.

    ``lowest`` and ``highest`` are the codes of each item.
    """
    paired = n_ratings > 1
    labels, n = lowest[paired], int(paired.sum())
    if n < FEWEST_UNANIMOUS or (labels != highest[paired]).any():
        return
    if n - np.bincount(labels).max() >= FEWEST_OF_OTHERS:
        warn(
            f"all raters agree on all {n} items. Check that each rater rated them independently,"
            " and that the labels are ratings and not known properties of the items."
        )


def _are_added(are_more: AnyArray, are_disputed: AnyArray) -> bool:
    """Return whether nearly all items with added ratings, and nearly no others, are in dispute."""
    added, others = are_disputed[are_more], are_disputed[~are_more]
    return bool(
        len(added) >= FEWEST_ADJUDICATED
        and added.mean() >= NEARLY_ALL
        and (~others).sum() >= max(FEWEST_ITEMS, NEARLY_ALL * len(others))
    )


def _warn_of_adjudicator(codes: AnyArray, n_labels: int, names: Sequence[str]) -> bool:
    """Warn about a rater who rated nearly only the items on which the other raters disagree."""
    for place, name in enumerate(names):
        n_ratings, are_disputed = _disputes(np.delete(codes, place, axis=0), n_labels)
        paired = n_ratings > 1
        are_more = codes[place, paired] < n_labels
        if _are_added(are_more, are_disputed[paired]):
            warn(
                f"{name} rated {are_more.sum()} items: nearly all the items on which the other"
                " raters disagree, and hardly any others. Disputed items therefore have more"
                " ratings than other items, which biases the coefficients. If this rater settles"
                f" disputes, leave {name} out."
            )
            return True
    return False


def warn_of_added_votes(n_ratings: AnyArray, are_disputed: AnyArray) -> None:
    """Warn if ratings seem to have been added to disputed items, for example to reach a majority.

    ``are_disputed`` is a mask of the items with different ratings.
    """
    paired = n_ratings > 1
    few = n_ratings[paired].min(initial=n_ratings.max())
    if _are_added(n_ratings[paired] > few, are_disputed[paired]):
        warn(
            f"raters disagree on nearly all items with more than {few} ratings, but on hardly any"
            " others. If ratings were added until most raters agreed, the coefficients are biased:"
            f" use only the first {few} ratings of each item."
        )


def _warn_of_copies(codes: AnyArray, n_labels: int, names: Sequence[str]) -> None:
    """Warn if two raters always agree, which is improbable given how the other pairs agree."""
    pairs = list(combinations(range(len(names)), 2))
    both = [(codes[a] < n_labels) & (codes[b] < n_labels) for a, b in pairs]
    n = np.array([rated.sum() for rated in both])
    same = np.array([(codes[a] == codes[b])[rated].sum() for (a, b), rated in zip(pairs, both)])
    others = (same.sum() - same) / np.maximum(n.sum() - n, 1)
    are_many = (n >= FEWEST_ITEMS) & (n < n.sum())
    by_chance = np.where(are_many, len(pairs) * others**n, 1.0)
    for i in np.flatnonzero((same == n) & (by_chance < BY_CHANCE))[:MOST_COPIES]:
        a, b = pairs[i]
        warn(
            f"{names[a]} and {names[b]} agree on all {n[i]} items, but other pairs of raters agree"
            f" on {percent_text(others[i])} of the items that they share. If one of the two"
            " columns is a copy, leave it out."
        )


def _warn_of_summary(codes: AnyArray, labels: AnyArray, place: int, names: Sequence[str]) -> bool:
    """Warn if a column summarizes the other columns for every item on which they differ.

    Return whether there is a warning.
    """
    others = np.delete(codes, place, axis=0)
    same = (others[:, None] == others).sum(axis=0)
    most = same.max(axis=0)
    # An item is not informative if the other raters all agree, or if several ratings are tied for
    # the most frequent.
    tells = (most < len(others)) & ((same == most).sum(axis=0) == most)
    own, others = codes[place, tells], others[:, tells]
    if len(own) < FEWEST_ITEMS:
        return False
    follows = {"most frequent": (others == own).sum(axis=0) == most[tells]}
    if labels.dtype.kind in "iuf":
        own, others = labels[own].astype(float), labels[others].astype(float)
        follows["mean"] = abs(own - others.mean(axis=0)) <= 0.5
        follows["sum"] = own == others.sum(axis=0)
    what = next((what for what, is_summary in follows.items() if is_summary.all()), None)
    if what is not None:
        warn(
            f"{names[place]} equals the {what} of the other ratings on all {len(own)} items on"
            " which the other raters disagree. If this column was computed from the others, leave"
            " it out."
        )
    return what is not None


def judge_raters(
    labels: Mapping[str, AnyArray],
    n_ratings: Sequence[int],
    sum_of: Callable[[str], float],
    *,
    are_recoded: bool = False,
) -> None:
    """Warn if an item looks like a row of totals, or if a rater shares no label with the others.

    A rater is compared with all others together, unless there are many raters or recoding was
    already reported (``are_recoded``). ``labels`` maps each rater's name to the rater's sorted
    labels, and ``n_ratings`` lists the number of ratings of each rater. ``sum_of`` returns the sum
    of a rater's ratings.
    """
    # Dates and durations are not checked here, because their units can differ.
    if len(labels) > MOST_JUDGED or any(own.dtype.kind in "mM" for own in labels.values()):
        return
    warn_of_totals(labels, min(n_ratings), sum_of)
    warn_of_codes_among_labels(np.unique(np.concatenate([*labels.values()])))
    if len(labels) < 2:
        return
    for name, own in labels.items():
        if own.dtype.kind in "UTO" and name in own.tolist():
            warn_of_own_name(name, name)
    for (name, own), n in zip(labels.items(), n_ratings) if not are_recoded else ():
        # There are separate warnings for computed columns and for columns of unique ids.
        if COMPUTED.search(name) or len(own) == n:
            continue
        rest = {other: one for other, one in labels.items() if other != name}
        other = "the other raters" if len(rest) > 1 else next(iter(rest))
        together = np.unique(np.concatenate([*rest.values()]))
        if warn_of_strangers((name, other), (own, together), n):
            return


def judge_pairs(
    codes: AnyArray,
    labels: AnyArray,
    names: Sequence[str],
    *,
    are_given: bool,
    has_order_of_ids: Callable[[], bool] | None = None,
) -> bool:
    """Warn if two raters seem to code or order ratings differently. Return whether it warned.

    ``codes`` has one row per rater and one column per item. Each code is the position of a label,
    or ``len(labels)`` for a missing rating. ``has_order_of_ids`` is passed to `judge_sorted_alone`.
    """
    side = len(labels) + 1
    if side > MOST_LABELS:
        return False
    codes = codes[:, :SOME_ITEMS].astype(np.intp)
    if len(names) > 2 and is_alphabetical(labels):
        for place, name in enumerate(names):
            table = _table(codes[place], np.delete(codes, place, axis=0), side)
            if found := two_names(labels, table, (name, "the other raters"), FEWEST_APART):
                warn(found)
                return True
    together = np.zeros((side - 1, side - 1), np.int64)
    for (a, first), (b, second) in combinations(zip(names, codes), 2):
        table = _table(first, second, side)
        together += table
        if judge_codes(first, second, side - 1, (a, b)):
            return True
        both = [own[np.maximum(first, second) < side - 1] for own in (first, second)]
        # Sorted items are checked only for two raters. With more raters, one of them can rate at
        # random while the items are sorted by the ratings of another.
        if len(names) == 2 and judge_sorted_alone(
            table, both, (a, b), has_order_of_ids=has_order_of_ids
        ):
            return True
        if warn_of_codings(labels, table, (a, b), are_given=are_given):
            return True
    # ``together`` counts each rating once for each other rater, so it is divided by the number of
    # other raters.
    if not are_given and warn_of_end(labels, together / max(len(names) - 1, 1), ["the raters"]):
        return True
    found = None if are_given else not_told_apart(labels, together)
    if found:
        warn(found)
    return found is not None


def _table(rows: AnyArray, columns: AnyArray, side: int) -> AnyArray:
    """Return the table of code pairs, without missing codes. The two arrays are broadcast."""
    counts = np.bincount((rows * side + columns).ravel(), minlength=side * side)
    return counts.reshape(side, side)[:-1, :-1]

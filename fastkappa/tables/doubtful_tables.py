"""Warn about tables that are probably mistakes, such as tables with ids or a row of totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.formatting import first_of_many, number_text
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import FEWEST_IDS, MOST_SHOWN, warn
from fastkappa.ratings.label_order import is_alphabetical
from fastkappa.ratings.real_numbers import FAR, may_be_codes, warn_of_codes_among_labels
from fastkappa.tables.doubtful_orders import judge_order, may_be_doubtful, sorted_within
from fastkappa.tables.table import kappa_of
from fastkappa.tables.two_codings import (
    BETTER,
    FEWEST_APART,
    FEWEST_AT_END,
    FEWEST_WITH_ENDS,
    LEAST_BY_CHANCE,
    NEAR,
    may_be_coded_apart,
    two_codings,
)

MOST_NAMED = 5
# For a warning about a label at an end of the scale, the ratings paired with this label must be
# farther from it than those paired with the adjacent label, by more than this many standard errors.
FAR_APART = 3.5
# If raters agree on a label at an end of the scale for more than one in this many items, the
# agreement is not attributed to chance.
OFTEN_AT_END = 25
# The smallest mean number of occurrences per label that is plausible for ratings.
LEAST_REPEATS = 2
# In a table with fewer cells than this, each pair of labels can occur exactly once by chance.
FEWEST_CELLS = 6
# Labels that only one rater uses are suspicious if there are at least `FEWEST_ALONE` of them, and
# if their number is at least `TIMES` times the number of labels that the other rater uses.
FEWEST_ALONE, TIMES = 6, 2
# A label can be absent from a part of the data by chance if any part has fewer than
# `FEWEST_OF_PART` items, if its proportion in another part is below `LEAST_ABSENT`, or if fewer
# than `FEWEST_ABSENT` items with the label are expected. The true labels can also lack predicted
# labels by chance. Of 18 000 simulated predictions, 29 caused a warning, none of them with only 30
# items.
FEWEST_OF_PART, LEAST_ABSENT, FEWEST_ABSENT = 100, 0.02, 10
# Scales rarely have more grades than this.
MOST_GRADES = 21


def judge_table(
    labels: Sequence[Any] | AnyArray,
    table: AnyArray,
    n_outside: int = 0,
    names: tuple[str, str] = ("y1", "y2"),
    *,
    are_given: bool = False,
    is_weighted: bool = False,
    is_reference: bool = False,
) -> None:
    """Warn if a table for two raters, with counts or sums of weights, is probably a mistake.

    If the first rater ``is_reference``, this rater's labels are the true labels.

    A warning is issued for each of these mistakes:

    - Items are left out, and no item has one of the given labels, which are strings.
    - Codes for missing ratings are counted, unless labels ``are_given``.
    - An item contains the totals of the other items.
    - The raters name or number the labels differently, or have no label in common.
    - The two labels of each item are sorted, or the raters never agree on a frequent label.
    - A column contains ids instead of ratings.
    - Many predicted numbers are outside the range of the true numbers.
    """
    if n_outside:
        warn_of_unused_labels(np.asarray(labels), table, n_outside)
        warn_of_most_outside(table, n_outside)
    if len(labels) < 2:
        return
    array = np.asarray(labels)
    is_settled = are_given or warn_of_codes_among_labels(array, table, names)
    if warn_of_codings(labels, table, names, are_given=are_given):
        return
    is_settled = is_settled or warn_of_end(array, table, names)
    if table.item(-1) > 1 and (table[0].any() or not is_reference):
        return
    counts, n = (table.sum(axis=1), table.sum(axis=0)), table.sum()
    used = [np.sort(array[own > 0]) for own in counts]
    if array.dtype.kind in "iuf":
        own, of_name = dict(zip(names, used)), dict(zip(names, counts))
        warn_of_totals(own, n, lambda name: (array * of_name[name]).sum(dtype=float))
    if not is_weighted:
        _warn_of_counted(table, names)
    is_settled |= any(warn_of_strangers(names[::way], used[::way], n) for way in (1, -1))
    if is_reference and not is_settled:
        _warn_of_outside(array, table, names)


def judge_tables(
    labels: AnyArray,
    tables: AnyArray,
    pairs: Sequence[tuple[Column, Column]],
    truth: str,
    names: Sequence[str],
    *,
    are_given: bool,
) -> None:
    """Warn about doubtful tables of many predictions, and about doubtful columns of labels.

    The checks are the same as in `judge_order` and `judge_table`, without the check for unused
    labels.
    """
    n, least, most = len(pairs[0][0].values), tables.min(axis=0), tables.max(axis=0)
    # `judge_table` ends early for an ordinary table. Its conditions for this are checked here once
    # for all predictions.
    if len(labels) > 1 and (
        may_be_codes(labels)
        or least.item(-1) <= 1
        or OFTEN_AT_END * least.item(0) <= n
        or OFTEN_AT_END * least.item(-1) <= n
        or may_be_coded_apart(labels, least, most)
    ):
        for name, table in zip(names, tables):
            judge_table(labels, table, names=(truth, name), are_given=are_given, is_reference=True)
    any(
        judge_order(table, *pair, (truth, name), is_reference=True)
        for name, table, pair, may_be in zip(
            names, tables, pairs, may_be_doubtful(pairs, len(labels))
        )
        if may_be
    )


def warn_of_codings(
    labels: Sequence[Any] | AnyArray, table: AnyArray, names: tuple[str, str], *, are_given: bool
) -> bool:
    """Warn if raters seem to code labels differently or never agree. Return whether it warned."""
    # Slow checks are skipped for ordinary tables, to keep short calls fast.
    if not may_be_coded_apart(labels, table, table):
        return False
    found = two_codings(labels, table, names, are_given=are_given)
    if found is None and isinstance(labels[0], str):
        found = sorted_within(np.asarray(labels), table, names)
    if found is None and not table.diagonal().all():
        found = _never_agree(np.asarray(labels).tolist(), table, names)
    if found:
        warn(found)
    return found is not None


def _never_agree(labels: Sequence[Any], table: AnyArray, names: tuple[str, str]) -> str | None:
    """Return a warning if raters never agree, or never on one label, and chance is not the reason.

    If the items that neither rater marked are left out, raters never agree on the label of unmarked
    items.
    """
    n, of_rows, of_columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    by_chance = of_rows.astype(float) * of_columns / max(n, 1)
    a, b = names
    if not table.trace():
        is_improbable = n >= FEWEST_APART and by_chance.sum() >= LEAST_BY_CHANCE
        if not is_improbable or np.count_nonzero(by_chance) < 2:
            return None
        return (
            f"{a} and {b} agree on none of {number_text(n)} items. If a blank means the same rating"
            " as the other rater's, fill in the blanks instead of dropping them."
        )
    apart = np.flatnonzero((table.diagonal() == 0) & (by_chance >= LEAST_BY_CHANCE))
    if len(apart) != 1:
        return None
    (i,) = apart.tolist()
    n_others = n - of_rows[i] - of_columns[i]
    if n_others < FEWEST_APART or table.trace() < NEAR * n_others:
        return None
    return (
        f"{a} and {b} never agree on {labels[i]!r}, although they use it"
        f" {number_text(of_rows[i])} and {number_text(of_columns[i])} times and mostly agree on the"
        f" other labels. If {labels[i]!r} means that nothing was found, kappa is too low because"
        " the items in which neither rater found anything are missing: add these items."
    )


def _warn_of_outside(labels: AnyArray, table: AnyArray, names: tuple[str, str]) -> None:
    """Warn if many of the second rater's numbers are outside the range of the first rater's.

    The first rater's labels are the true labels. On a fine scale, predictions can be outside by
    chance.
    """
    true, n_predicted = np.flatnonzero(table.any(axis=1)), table.sum(axis=0)
    is_scale = labels.dtype.kind in "iufUTO" and not is_alphabetical(labels)
    if not is_scale or len(true) > MOST_GRADES or n_predicted.sum() < FEWEST_OF_PART:
        return
    places = np.arange(len(labels))
    is_outside = (places < true[0]) | (places > true[-1])
    n = int(n_predicted[is_outside].sum())
    if n >= FEWEST_ABSENT:
        a, b = names
        first, last = labels[true[[0, -1]]].tolist()
        warn(
            f"{b} has {_some(labels[is_outside & (n_predicted > 0)])} for {n} items, but the labels"
            f" of {a} are {first!r} to {last!r}. Correct {b}, or pass labels= with all labels of"
            f" the scale if {a} merely lacks some."
        )


def _warn_of_counted(table: AnyArray, names: tuple[str, str]) -> None:
    """Warn if each pair of labels occurs once, as in the rows of a table of counts."""
    n_used = [int(np.count_nonzero(table.any(axis=axis))) for axis in (1, 0)]
    if FEWEST_CELLS <= table.sum() == n_used[0] * n_used[1] and table.max() == 1 < min(n_used):
        warn(
            f"each pair of labels of {' and '.join(names)} occurs once, as in a table of counts."
            " If another column has the number of items per pair, pass it as sample_weight=."
        )


def warn_of_totals(
    labels: Mapping[str, AnyArray], n_items: int, sum_of: Callable[[str], float]
) -> None:
    """Warn if one item contains the sums of the raters' other ratings, like a row of totals.

    ``labels`` are the sorted labels of each rater. ``sum_of`` returns the sum of a rater's ratings,
    and is called only if the largest label is far from the other labels.
    """
    if n_items <= FEWEST_IDS or not all(map(_has_far_largest, labels.values())):
        return
    if all(sum_of(name) == 2 * float(own[-1]) for name, own in labels.items()):
        held = " and ".join(f"{own[-1]} of {name}" for name, own in labels.items())
        warn(
            f"one item looks like a row of totals: its ratings ({held}) are the sums of each"
            " rater's other ratings. If so, remove this row from the data."
        )


def _has_far_largest(labels: AnyArray) -> bool:
    """Return whether sorted labels are non-negative, and the largest is far from the others."""
    if len(labels) < 2 or labels.dtype.kind not in "iuf":
        return False
    return bool(labels[0] >= 0 and 0 < FAR * float(labels[-2]) < labels[-1])


def warn_of_strangers(names: Sequence[str], labels: Sequence[AnyArray], n_items: int) -> bool:
    """Warn if all or many of the first rater's labels are never used by the second rater.

    Return whether a warning was issued. ``labels`` are the sorted labels of each rater.
    """
    (name, other), (own, others) = names, labels
    n_labels = len(own), len(others)
    if min(n_labels) < 2:
        return False
    alone = np.setdiff1d(own, others)
    # If most labels occur only once, as with measurements, raters can have no label in common by
    # chance.
    if len(alone) == len(own) and LEAST_REPEATS * sum(n_labels) <= n_items:
        warn(
            f"{name} and {other} have no label in common: {name} has {_some(own)} and {other} has"
            f" {_some(others)}. Check that both rated the same items, and that labels are written"
            " the same way."
        )
        return True
    # On a fine scale, each rater can use numbers that the other does not use. Only numbers outside
    # the other's range are suspicious.
    if own.dtype.kind in "iuf":
        alone = alone[(alone < others[0]) | (alone > others[-1])]
    if len(alone) < max(FEWEST_ALONE, TIMES * len(others)):
        return False
    warn(
        f"{name} has {len(alone)} labels not used by {other} (such as {_some(alone)}). Perhaps"
        " they are ids, free text or spreadsheet cells that were filled down: pass a column of"
        " ratings, or correct these cells."
    )
    return True


class Part(NamedTuple):
    """A part of the data: its name, and the number of ratings per rater and label."""

    name: str
    ratings: Sequence[Mapping[Any, float]]

    def recoded(self, meanings: Sequence[Mapping[Any, Any]]) -> Part:
        """Return the part with labels replaced by their meanings. Omit labels without a meaning."""
        ratings = []
        for own, meaning in zip(self.ratings, meanings):
            meant: dict[Any, float] = {}
            for label, n in own.items():
                if label in meaning:
                    meant[meaning[label]] = meant.get(meaning[label], 0) + n
            ratings.append(meant)
        return Part(self.name, ratings)


def judge_parts(parts: Sequence[Part], columns: Sequence[str]) -> None:
    """Warn about parts that seem to use other codes for labels, such as 1 to 5 instead of 0 to 4.

    Such a part has a label that occurs in no other part, and lacks a label that is frequent in all
    other parts.
    """
    in_parts = Counter(label for part in parts for label in set().union(*part.ratings))
    found = []
    for part in parts:
        odd: dict[tuple[Any, Any], list[str]] = {}
        for i, (own, column) in enumerate(zip(part.ratings, columns)):
            alone = [label for label in own if in_parts[label] == 1]
            others = [other.ratings[i] for other in parts if other is not part] if alone else []
            absent = _absent(own, others)
            if alone and absent:
                odd.setdefault((alone[0], absent[0]), []).append(column)
        found += [
            f"in {' and '.join(names)}, only {part.name} has {alone!r}, but it lacks {absent!r},"
            " which is frequent in all other parts"
            for (alone, absent), names in odd.items()
        ]
    if found:
        shown = first_of_many(found, MOST_SHOWN, "; ")
        warn(
            f"some parts seem to use different codes for the labels: {shown}. Use the same codes in"
            " all parts, because codes are not converted before the parts are added."
        )


def _absent(own: Mapping[Any, float], others: Sequence[Mapping[Any, float]]) -> list[Any]:
    """Return the labels that a part lacks although they are frequent in all other parts."""
    totals = [sum(other.values()) for other in others]
    n_items = sum(own.values())
    if min([n_items, *totals]) < FEWEST_OF_PART or not others:
        return []
    least = max(LEAST_ABSENT, FEWEST_ABSENT / n_items)
    return [
        label
        for label in others[0]
        if label not in own
        and all(other.get(label, 0) >= least * n for other, n in zip(others, totals))
    ]


def _some(labels: AnyArray) -> str:
    """Return some labels for a message."""
    some = labels[:MOST_NAMED]
    return ", ".join(map(repr, (some.astype(str) if some.dtype.kind in "mM" else some).tolist()))


def warn_of_most_outside(table: AnyArray, n_outside: int) -> None:
    """Warn if the given labels leave out most items. ``table`` is the table of the other items."""
    # Sums of fractional weights do not show the number of items.
    if table.dtype.kind in "iu" and n_outside > (n := int(table.sum())) > 0:
        warn(
            f"labels does not contain all ratings, so {n_outside} of {n_outside + n} items are left"
            " out. Pass all labels, spelled as in the ratings."
        )


def warn_of_unused_labels(labels: AnyArray, table: AnyArray, n_outside: int) -> None:
    """If items are left out, warn about given labels that no item has.

    ``table`` is the table of the items. With numeric labels, users often pass a whole scale and
    rarely make typing errors. Numbers are checked only for a scale that begins too low, such as 0
    to 4 instead of 1 to 5. A scale that ends too high can have a rare highest grade.
    """
    if not n_outside:
        return
    used: AnyArray = np.asarray(table.any(axis=0) | table.any(axis=1))
    unused = [repr(label) for label in labels[~used].tolist() if isinstance(label, str)]
    advice = "Spell the labels exactly as in the ratings."
    if _begins_too_low(labels, used, table, n_outside):
        unused = [str(labels.min())]
        advice = "Pass the labels of the ratings, such as 1 to 5 instead of 0 to 4."
    if unused:
        warn(
            f"no rating equals the label {' or '.join(unused[:MOST_SHOWN])}, and {n_outside}"
            f" {'item is' if n_outside == 1 else 'items are'} left out because of ratings"
            f" that are not in labels. {advice}"
        )


def _begins_too_low(labels: AnyArray, used: AnyArray, table: AnyArray, n_outside: int) -> bool:
    """Return whether only the lowest of consecutive labels is unused, and many items are outside.

    The result is False for sums of fractional weights, which do not show the number of items.
    """
    if labels.dtype.kind not in "iuf" or table.dtype.kind not in "iu" or len(labels) < 3:
        return False
    least = max(FEWEST_ABSENT, LEAST_ABSENT * (n_outside + table.sum()))
    order = np.argsort(labels)
    are_consecutive = (np.diff(labels[order]) == 1).all()
    is_lowest_unused = not used[order[0]] and used[order[1:]].all()
    return bool(are_consecutive and is_lowest_unused and n_outside >= least)


def warn_of_measured(labels: AnyArray, table: AnyArray) -> None:
    """Warn if the raters' numbers are often close but seldom equal, like measurements."""
    if labels.dtype.kind not in "iuf" or len(labels) <= MOST_GRADES:
        return
    values = labels.astype(float)
    given, weighted = (kappa_of(values, values, table, power) for power in (0, 2))
    if weighted >= max(NEAR, given + BETTER):
        warn(
            f"the ratings take {len(labels)} different numeric values, and the two ratings of an"
            f" item are more often close than equal. Kappa is {given:.2f} without weights and"
            f" {weighted:.2f} with quadratic weights. If the numbers are on a scale, such as"
            " percentages, pass weights= or use fastkappa.measurements."
        )


def warn_of_end(labels: AnyArray, table: AnyArray, names: Sequence[str]) -> bool:
    """Warn about a first or last label, such as 0 or 9, that does not belong to the scale.

    Raters agree on such a label only by chance. On average, the other rater's rating is farther
    from this label if a rater gives this label than if the rater gives the adjacent label. Return
    whether there is a warning.
    """
    if labels.dtype.kind not in "iuf" or len(labels) < 3:
        return False
    # Convert to floats, because large sums of integer weights could overflow below.
    table = table.astype(float)
    n = table.sum()
    if n < FEWEST_WITH_ENDS:
        return False
    for place, beside in ((0, 1), (-1, -2)):
        # This check excludes most tables within a microsecond.
        if OFTEN_AT_END * table.item(place) > n:
            continue
        used = table[place].sum(), table[:, place].sum()
        by_chance = used[0] * used[1] / n
        # Weights can be negative.
        if sum(used) < FEWEST_AT_END or table.min() < 0:
            continue
        if table.item(place) > by_chance + 2 * by_chance**0.5:
            continue
        values = np.abs(labels.astype(float) - labels[place])
        both = np.where(values, table + table.T, 0.0)
        margin, (own, other) = both.sum(axis=0), both[[place, beside]]
        # Skip this label unless the raters agree on the other labels.
        if not own.any() or kappa_of(values, values, np.where(values, both.T, 0.0), 0) <= 0:
            continue
        mean = values @ margin / margin.sum()
        error = (values - mean) ** 2 @ margin / margin.sum() * (1 / own.sum() + 1 / other.sum())
        if values @ own / own.sum() - values @ other / other.sum() > FAR_APART * error**0.5:
            warn(
                f"{' and '.join(names)} agree on {labels[place]} only as often as expected by"
                f" chance. When one rating is {labels[place]}, the other is usually not close to"
                f" it. Pass missing_codes= if {labels[place]} stands for a missing rating, or"
                " labels= if it is an actual label."
            )
            return True
    return False

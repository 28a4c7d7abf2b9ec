"""Detect, from a table, that two raters name or number the same labels differently.

For example, one rater writes "stage 2" and the other "Stage2", or one counts from 0 and the other
from 1. Grade 1 can be the best for one rater and the worst for the other, and a model's classes can
be named in the wrong order. Recoding then increases the agreement. A rater can also use a second
spelling for some items, such as "mil" for "mild".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.formatting import first_of_many, number_text
from fastkappa.ratings.label_order import is_alphabetical
from fastkappa.ratings.looks import alike_among, is_part, is_respelt, is_slip, prefix_of
from fastkappa.tables.table import is_predicted, kappa_of, matched_columns

# A warning about different codings requires a kappa of at least `NEAR` after recoding, which must
# exceed kappa before recoding by at least `BETTER`.
NEAR, BETTER = 0.6, 0.5
# If the labels of one rater are those of the other rater plus a constant, a gain of
# `CLEARLY_BETTER` is enough for a warning, provided that each label used by only one rater has at
# least `OFTEN_ALONE` ratings per item. In 29 000 simulated tables with a kappa of 0.2 to 0.9,
# including 13 000 with raters who avoid a label at an end of the scale, there was no warning. A
# false warning is still possible if a rater really rates one step higher.
CLEARLY_BETTER, OFTEN_ALONE = 0.2, 0.01
# A warning about similarly written labels requires that kappa is at least this large after the
# labels are merged.
NEAR_ONCE_MERGED = 0.5
# A warning requires ``n * kappa**2`` to be at least this. Raters who agree only by chance reach
# this value in about one table in 600.
EVIDENCE = 10.0
# A warning that a scale is reversed for some of the items requires at least `FEWEST_GRADES` labels.
# If opposite labels count as equal, kappa must be at least `FOLDED`, and exceed the original kappa
# by more than `GAIN`.
FEWEST_GRADES, FOLDED, GAIN = 4, 0.5, 0.2
# Exchanged labels are considered only if there are at least this many items per label on average.
LEAST_REPEATS = 5
# A warning that raters use two names for one label requires at least `OFTEN` items with each pair
# of names, and at least `TOGETHER` items with any of the pairs. For given labels, for a part, and
# for a rater who is compared with several others, `FEWEST_APART` replaces `TOGETHER`.
OFTEN, TOGETHER = 2, 3
# A warning that raters never agree requires at least `FEWEST_APART` items, and at least
# `LEAST_BY_CHANCE` agreements expected by chance. For a single label, the items must have other
# labels. A warning about schemes of tags requires as many items that differ only in the prefix.
FEWEST_APART, LEAST_BY_CHANCE = 20, 10
# If there are more labels than this, they are usually ids or measurements.
MOST_LABELS = 100
MOST_SHOWN = 5
# A tag of a token in a span, such as B-LOC for its first token.
TAG = re.compile("([BIOESLUM][-_])(.+)")
# A warning about a label at an end of the scale requires at least `FEWEST_WITH_ENDS` items and
# `FEWEST_AT_END` ratings with the label.
FEWEST_WITH_ENDS, FEWEST_AT_END = 50, 5
# At least this many items are needed for a warning about two columns that look like counts.
FEWEST_COUNTED = 6
# A warning about a longer scale requires that the range of one rater is at least `LONGER` times
# that of the other, and that at least the proportion `OUTSIDE_SHORTER` of a rater's ratings are
# outside the shorter range. Of 20 000 simulated pairs of raters with the same scale, one had a
# warning.
LONGER, OUTSIDE_SHORTER = 1.8, 0.25
# A label is rare if a similar label is at least this many times as frequent.
FREQUENT = 100
REMEDY = "Number the labels the same way if both raters use the same scale."
WRITE_ALIKE = "Such pairs count as disagreement. If both labels mean the same, use one of them."


def may_be_coded_apart(labels: Sequence[Any] | AnyArray, least: AnyArray, most: AnyArray) -> bool:
    """Return whether a table needs a closer look. The check takes about two microseconds.

    For many tables, ``least`` and ``most`` contain the smallest and the largest count of each cell.
    The result is then False only if none of the tables needs a closer look. For a single table,
    pass the table as both. A table needs a closer look in any of these cases:

    - Raters never agree on two or more labels, as after a shift, or on one frequent label.
    - Two labels that are strings often coincide, or one rater's label never comes later in the
      alphabet than the other rater's label.
    - The corners off the diagonal contain at least twice as many items as the corners on it, as
      after a reversal. On a scale of four or more labels, a quarter as many items as on the
      diagonal corners are enough, as after a reversal for part of the items.
    - No cell on the diagonal is larger than all cells off it, as after a permutation.
    """
    # For few labels, counting in a list is faster than counting in a NumPy array.
    agreed = least.diagonal().tolist()
    is_string, last = isinstance(labels[0], str), len(agreed) - 1
    if agreed.count(0) > 1 or (is_string and np.count_nonzero(_coincide(least, most))):
        return True
    if 0 in agreed:
        own = agreed.index(0)
        if most[own].sum() * most[:, own].sum() >= LEAST_BY_CHANCE * least.sum():
            return True
    corners = last, last * (last + 1)
    may_be_sorted = is_string and last > 1 and not all(map(least.item, corners))
    if may_be_sorted and not (least.diagonal(-1).any() and least.diagonal(1).any()):
        return True
    opposite = sum(map(most.item, corners))
    same = agreed[0] + agreed[last]
    if opposite > 1 and opposite >= 2 * same:
        return True
    if last > 2 and 4 * opposite >= same and opposite >= 2 * FEWEST_AT_END:
        return True
    apart = most.flatten()
    apart[:: last + 2] = 0
    return bool(apart.item(apart.argmax()) >= max(agreed))


def _coincide(least: AnyArray, most: AnyArray) -> NDArray[np.bool_]:
    """Return a mask of label pairs that coincide at least as often as raters agree on one of them.

    Two labels coincide in an item if each rater gave one of them. ``least`` and ``most`` are as in
    `may_be_coded_apart`.
    """
    both, same = most + most.T, least.diagonal()
    both.flat[:: len(both) + 1] = 0
    coincide: NDArray[np.bool_] = (both > 0) & (both >= np.minimum(same[:, None], same))
    return coincide


def two_codings(
    labels: Sequence[Any] | AnyArray, table: AnyArray, names: Sequence[str], *, are_given: bool
) -> str | None:
    """Return a warning if two raters seem to name or number labels differently, or None.

    Labels given by the user are never treated as two spellings of one label.
    """
    if len(labels) > MOST_LABELS:
        return None
    found, array = None, np.asarray(labels)
    # If raters agree on most items, renumbering the labels cannot improve agreement.
    may_be_renamed = 2 * table.trace() < table.sum() and is_predicted(table)
    if is_alphabetical(array):
        found = _two_schemes(array, table, names)
        found = found or two_names(array, table, names, FEWEST_APART if are_given else TOGETHER)
        if found is None and not are_given:
            found = not_told_apart(array, table)
    elif array.dtype.kind in "iufbUTO":
        values = array.astype(float)
        found = _two_numberings(values, table, names) if may_be_renamed else None
        if found is None and not (table.any(axis=0) & table.any(axis=1)).all():
            found = _two_ranges(values, table, names) or _two_scales(values, table, names)
    if found is None and may_be_renamed:
        found = _permuted(array, table, names)
    if found is None and array.dtype.kind in "iuf":
        found = _reversed_in_part(array.astype(float), table, names)
    return found


def _two_schemes(labels: AnyArray, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about tags of spans in two schemes, as with B-LOC in place of I-LOC.

    Most disagreements then differ only in the prefix, and raters use two prefixes for each other at
    least as often as they agree on one of them.
    """
    tags = [TAG.fullmatch(str(label)) for label in labels]
    times: Counter[tuple[str, str]] = Counter()
    for i, j in np.argwhere(table).tolist():
        first, second = tags[i], tags[j]
        if first and second and first[2] == second[2]:
            times[first[1], second[1]] += table[i, j]
    apart = Counter({(one, other): n for (one, other), n in times.items() if one != other})
    if apart.total() < FEWEST_APART or 2 * apart.total() <= table.sum() - table.trace():
        return None
    (one, other), n = apart.most_common(1)[0]
    if n < min(times[one, one], times[other, other]):
        return None
    a, b = names
    return (
        f"in most disagreements, the tags of {a} and {b} differ only in their prefix, such as"
        f" {one!r} of {a} with {other!r} of {b} ({number_text(n)} times). If the tags are in two"
        " schemes, such as IOB1 and IOB2, convert them to one, or compare whole spans."
    )


def two_names(labels: AnyArray, table: AnyArray, names: Sequence[str], least: int) -> str | None:
    """Return the warning about labels of one rater that coincide with labels of the other.

    Labels can differ because one rater's labels were truncated, for example to 8 characters, or
    because one rater divides a label, such as 4 into 4A and 4B. Labels that look alike are skipped,
    because another warning covers them, and so are sets. At least ``least`` items are required.
    """
    of_rows, of_columns = table.sum(axis=1), table.sum(axis=0)
    is_most = (table == table.max(axis=1, keepdims=True)) & (table == table.max(axis=0))
    is_most &= (of_columns[:, None] == 0) & (of_rows == 0) & (table >= OFTEN)
    pairs = [
        (one, other, table[i, j])
        for i, j in np.argwhere(is_most).tolist()
        for one, other in [(str(labels[i]), str(labels[j]))]
        if not alike_among([one, other])
        and (2 * table[i, j] >= NEAR * (of_rows[i] + of_columns[j]) or is_respelt(one, other))
    ]
    pairs += _divided(labels, table)
    pairs += [(one, other, n) for other, one, n in _divided(labels, table.T)]
    pairs = list(dict.fromkeys(pairs))
    if isinstance(labels[0], frozenset) or sum(n for _, _, n in pairs) < least:
        return None
    a, b = names
    shown = [
        f"{one!r} of {a} with {other!r} of {b} ({number_text(n)} times)" for one, other, n in pairs
    ]
    return (
        f"labels used only by {a} mostly coincide with labels used only by {b}:"
        f" {first_of_many(shown, MOST_SHOWN, '; ')}. {WRITE_ALIKE}"
    )


def _divided(labels: AnyArray, table: AnyArray) -> list[tuple[str, str, int]]:
    """Return each row label that column labels divide, with each part and the part's frequency."""
    of_rows, of_columns = table.sum(axis=1), table.sum(axis=0)
    own, others = (
        np.flatnonzero((n > 0) & (m == 0)).tolist()
        for n, m in ((of_rows, of_columns), (of_columns, of_rows))
    )
    found = []
    for i in own:
        parts = [j for j in others if is_part(str(labels[j]), str(labels[i]))]
        together = table[i, parts].sum()
        if len(parts) > 1 and 2 * together >= NEAR * (of_rows[i] + of_columns[parts].sum()):
            found += [(str(labels[i]), str(labels[j]), table[i, j]) for j in parts]
    return found


def not_told_apart(labels: AnyArray, table: AnyArray) -> str | None:
    """Return the warning about two labels that raters confuse and that are written similarly.

    Raters confuse two labels if the number of items with both labels is at least the number of
    items on which the raters agree on the rarer label. Labels that look alike are covered by
    another warning.
    """
    same, total = table.diagonal(), table.sum(axis=0) + table.sum(axis=1)
    both = table + table.T
    names = [str(label) for label in labels]
    rarer = _coincide(table, table) & (total[:, None] <= total)
    rarer &= both + same[:, None] >= NEAR * (total - same)[:, None]
    pairs = [
        (i, j) for i, j in np.argwhere(rarer).tolist() if not alike_among([names[i], names[j]])
    ]
    prefixes = Counter(prefix_of(names[i], names[j]) for i, j in pairs)
    del prefixes[""]
    found = [
        (i, j)
        for i, j in pairs
        if is_respelt(names[i], names[j]) or prefixes[prefix_of(names[i], names[j])] > 1
    ]
    # One or two items are enough evidence only if one of the two labels is rare, as with a typing
    # error.
    if sum(both[pair] for pair in found) < TOGETHER:
        found = [(i, j) for i, j in found if total[j] >= FREQUENT * total[i]]
    places = np.arange(len(table)).astype(float)
    for i, j in found:
        places[places == i] = places[j]
    # If the raters hardly agree even after labels are merged, they confuse many labels, so only
    # rare slips are reported.
    if not found or kappa_of(places, places, table, 0) < NEAR_ONCE_MERGED:
        return _rare_slips(names, total)
    shown = [
        f"{names[i]!r} with {names[j]!r} ({both[i, j]:g} {'item' if both[i, j] == 1 else 'items'})"
        for i, j in found
    ]
    return (
        "labels with similar spellings are nearly always given to the same items:"
        f" {first_of_many(shown, MOST_SHOWN, '; ')}. {WRITE_ALIKE}"
    )


def _rare_slips(names: Sequence[str], total: AnyArray) -> str | None:
    """Return the warning about rare labels that differ from a frequent label by one letter."""
    is_rare = (total[:, None] > 0) & (FREQUENT * total[:, None] <= total)
    shown = [
        f"{names[i]!r} for {names[j]!r}"
        for i, j in np.argwhere(is_rare).tolist()
        if is_slip(names[i], names[j]) and not alike_among([names[i], names[j]])
    ]
    if not shown:
        return None
    return (
        "rare labels look like typing errors, but are counted as separate labels:"
        f" {first_of_many(shown, MOST_SHOWN, '; ')}. Correct any that are errors."
    )


def _two_numberings(values: Floats, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about raters whose numbers seem shifted or reversed."""
    a, b = names
    step = _most_frequent(values - values[:, None], table)
    rows, columns = (values[table.any(axis=axis)] for axis in (1, 0))
    # A rater who merely rates one step higher still uses the same scale, so its ends do not shift.
    ends = {columns.min() - rows.min(), columns.max() - rows.max()}
    if step and ends == {step} and (better := _better(values, values - step, table)):
        return _numbered_higher(step, better, names)
    sums = values + values[:, None]
    total = _most_frequent(sums, table)
    used = table > 0
    are_many = used.sum() > 2 and table.sum() >= FEWEST_COUNTED
    if are_many and values.min() >= 0 and total < MOST_LABELS and (sums[used] == total).all():
        return (
            f"{a} and {b} add up to {total:g} for all {number_text(table.sum())} items, as in a"
            " table with one column of counts per label. If the entries count the raters who gave"
            " each label, use Ratings.from_counts(ratings). If not, check the scales of both."
        )
    if better := _better(values, total - values, table):
        how = f"{a} and {b} seem to number the labels in opposite directions"
        return f"{how}: {better} with the labels of {b} reversed. {REMEDY}"
    return None


def _two_ranges(values: Floats, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about raters whose labels are the same except for a shift.

    Each label that only one of the raters uses must be frequent. Quadratic kappa must be clearly
    larger after the shift.
    """
    of_rows, of_columns = table.sum(axis=1), table.sum(axis=0)
    rows, columns = (np.sort(values[own > 0]) for own in (of_rows, of_columns))
    if len(rows) < 3 or len(rows) != len(columns):
        return None
    step = columns[0] - rows[0]
    if not step or not np.array_equal(rows + step, columns):
        return None
    alone = (of_rows > 0) != (of_columns > 0)
    if (of_rows + of_columns)[alone].min() < max(FEWEST_AT_END, OFTEN_ALONE * table.sum()):
        return None
    given, better = (kappa_of(values, values - by, table, 2) for by in (0.0, step))
    if better < max(NEAR, given + CLEARLY_BETTER) or table.sum() * better**2 < EVIDENCE:
        return None
    return _numbered_higher(step, _improved("quadratic kappa", given, better), names)


def _two_scales(values: Floats, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about raters whose scales differ in length, such as 1 to 5 and 1 to 10.

    The ratings must be correlated, but quadratic kappa must be much smaller.
    """
    margins = table.sum(axis=1), table.sum(axis=0)
    if table.sum() < FEWEST_WITH_ENDS or min(margin.max() for margin in margins) <= 0:
        return None
    (low, high), (other_low, other_high) = (
        (own.min(), own.max()) for own in (values[margin > 0] for margin in margins)
    )
    lengths = sorted((high - low, other_high - other_low))
    if not 0 < LONGER * lengths[0] <= lengths[1]:
        return None
    least, most = max(low, other_low), min(high, other_high)
    is_outside = (values < least) | (values > most)
    if max(margin[is_outside].sum() for margin in margins) < OUTSIDE_SHORTER * table.sum():
        return None
    rows, columns = (values - margin @ values / table.sum() for margin in margins)
    squares = math.prod(margin @ own**2 for margin, own in zip(margins, (rows, columns)))
    # With negative sample weights, ``squares`` can be negative.
    correlation = float(rows @ table @ columns) / math.sqrt(squares) if squares > 0 else 0.0
    given = kappa_of(values, values, table, 2)
    if correlation < max(NEAR, given + CLEARLY_BETTER):
        return None
    a, b = names
    return (
        f"the labels range from {low:g} to {high:g} for {a} and from {other_low:g} to"
        f" {other_high:g} for {b}: quadratic kappa is {given:.2f}, but the correlation is"
        f" {correlation:.2f}. Convert the ratings to the same scale."
    )


def _numbered_higher(step: float, better: str, names: Sequence[str]) -> str:
    """Return the warning about a rater whose labels are ``step`` higher than the other's."""
    a, b = names
    how = f"{b} seems to number the labels {abs(step):g} {'higher' if step > 0 else 'lower'} than"
    return f"{how} {a}: {better} without that difference. {REMEDY}"


def _reversed_in_part(values: Floats, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about raters whose numbers seem reversed for some of the items.

    Such a table looks like an X. The raters agree better if only the distance from the middle of
    the scale counts, and they give opposite ends more often than an end and the label beside it.
    """
    used = np.flatnonzero(table.any(axis=0) | table.any(axis=1))
    counts, values = table[np.ix_(used, used)], values[used]
    if len(used) < FEWEST_GRADES or counts.sum() < FEWEST_WITH_ENDS:
        return None
    for corner in (counts[:2, :-3:-1], counts[:-3:-1, :2]):
        end, *beside = corner[0, 0], corner[0, 1], corner[1, 0]
        if end < FEWEST_AT_END or end <= max(beside):
            return None
    folded = np.abs(values - (values[0] + values[-1]) / 2)
    (given, better), (weighted, folded_weighted) = (
        [kappa_of(own, own, counts, power) for own in (values, folded)] for power in (0, 2)
    )
    if better < FOLDED or min(better - given, folded_weighted - weighted) <= GAIN:
        return None
    a, b = names
    return (
        f"{a} and {b} seem to number the labels in opposite directions for some of the items:"
        f" unweighted kappa is {given:.2f}, and {better:.2f} if opposite labels counted as equal."
        " Reverse the labels of these items if both raters use the same scale."
    )


def _permuted(labels: AnyArray, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about raters who use the same labels for different categories."""
    used = np.flatnonzero(table.any(axis=0) | table.any(axis=1))
    counts = table[np.ix_(used, used)]
    # With fewer items, exchanging labels can improve agreement by chance.
    if counts.sum() < LEAST_REPEATS * len(used):
        return None
    columns = matched_columns(counts)
    places = np.arange(len(used)).astype(float)
    given, better = (kappa_of(places, places, own, 0) for own in (counts, counts[:, columns]))
    if better < max(NEAR, given + BETTER) or counts.sum() * better**2 < 2 * EVIDENCE:
        return None
    # Exchanged labels must coincide more often than by chance. They do not if one rater merely
    # rates one step higher, and therefore never uses the lowest label.
    by_chance = counts.sum(axis=1) * counts.sum(axis=0)[columns] / counts.sum()
    moved = np.flatnonzero(columns != places)
    if (counts[moved, columns[moved]] <= by_chance[moved]).any():
        return None
    a, b = names
    shown = labels[used].tolist()
    pairs = [f"{shown[i]!r} of {a} with {shown[columns[i]]!r} of {b}" for i in moved.tolist()]
    return (
        f"{a} and {b} use the same labels, but nearly always for different categories:"
        f" {first_of_many(pairs, MOST_SHOWN, '; ')}. Kappa is {given:.2f}, and would be"
        f" {better:.2f} with these labels exchanged. Check which category each label stands for,"
        " as with a model's classes or cluster numbers."
    )


def _most_frequent(keys: Floats, table: AnyArray) -> float:
    """Return the key whose cells contain the most items. ``keys`` has one entry per cell."""
    distinct, places = np.unique(keys, return_inverse=True)
    n = np.bincount(places.ravel(), weights=table.ravel())
    return float(distinct[n.argmax()])


def _better(rows: Floats, recoded: Floats, table: AnyArray) -> str | None:
    """Describe the first kind of kappa that recoding greatly improves, or return None."""
    for power, kind in enumerate(("unweighted kappa", "linear kappa", "quadratic kappa")):
        given, better = (kappa_of(rows, columns, table, power) for columns in (rows, recoded))
        if better >= max(NEAR, given + BETTER) and table.sum() * better**2 >= EVIDENCE:
            return _improved(kind, given, better)
    return None


def _improved(kind: str, given: float, better: float) -> str:
    return f"{kind} is {given:.2f}, and would be {better:.2f}"

"""Detect parts of two columns that were probably changed by mistake in a spreadsheet or tool.

A deleted cell shifts the cells below it. Blank cells can be filled down, or with the other rater's
ratings, and a tool can export its preset for items that nobody has rated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.formatting import percent_text
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.tables.table import is_predicted, kappa_of
from fastkappa.tables.two_codings import LEAST_REPEATS

# The smallest number of rows in a doubtful part, and in the rest of the column that the part is
# compared with.
FEWEST_OF_PART = 30
# A part looks shifted if its kappa is below `GIVEN`, but at least `MOVED` after the shift is
# undone.
GIVEN, MOVED = 0.15, 0.5
# The shortest suspicious run of one label in a column. A run of 20 equal ratings is
# improbable even with two labels.
SHORTEST_RUN = 20
# A pattern is attributed to a mistake if the logarithm of the probability that it occurs by chance
# anywhere in a column is at most `COPIED_BY_CHANCE` for copied ratings, or at most `BY_CHANCE` for
# other patterns.
BY_CHANCE, COPIED_BY_CHANCE = math.log(1e-6), math.log(1e-9)
# A run is attributed to items that were sorted by label unless the log-likelihood ratio is above
# this.
LEAST_EVIDENCE = math.log(1e3)
# In a run of one label, the other rater can have this label less often than elsewhere by up to this
# many standard errors. If the difference is larger, the run is attributed to items on which the
# raters disagree.
FEWER = 2.5
# A rater's ratings vary in a part if at most the proportion `MOST_ALIKE` of them have the same
# label, and if neighbors differ at least `LEAST_VARIED` times as often as in random order.
MOST_ALIKE, LEAST_VARIED = 0.8, 0.5
# A part of the rows is reported only if kappa of the other rows is at least this large. A lower
# kappa can have other causes: the rows are sorted by agreement, or one rater is much more accurate
# than the other.
LEAST_ELSEWHERE = 0.4
# A run of agreements must be at least this many times as long as any other, because some sites or
# sessions have easier items.
TIMES = 5
# This number is added to the count of a label, or of the agreements on it, so that a rare label
# does not count as evidence.
SPARE = 3
# A warning about blanks filled from the row above requires at least `FEWEST_DIFFERENT`
# disagreements and a kappa of at least `LEAST_KAPPA`. The proportion of disagreements in which the
# rater repeats the row above must be at least `LEAST_FILLED`, and exceed the expected proportion by
# at least `LEAST_MORE`.
FEWEST_DIFFERENT, LEAST_FILLED, LEAST_MORE, LEAST_KAPPA = 50, 0.6, 0.2, 0.2


class Rows(NamedTuple):
    """The codes of two raters, their names, and each row's position (None if rows did not move)."""

    codes: AnyArray
    names: Sequence[str]
    places: AnyArray | None

    def place(self, row: int) -> int:
        """Return the position of a row among all rows, including rows with missing ratings."""
        return row if self.places is None else int(self.places[row])


def _kappa(codes: AnyArray) -> float:
    """Return the kappa of two rows of codes."""
    side = int(codes.max()) + 1
    places = np.arange(side).astype(float)
    return kappa_of(places, places, pairs(codes[0], codes[1], side), 0)


def pairs(rows: AnyArray, columns: AnyArray, side: int) -> AnyArray:
    """Return the table of two rows of codes, with ``side`` labels."""
    return np.bincount(rows * side + columns, minlength=side * side).reshape(side, side)


def _vary(codes: AnyArray) -> bool:
    """Return whether the ratings of a part contain several labels and are not grouped by label."""
    proportions = np.bincount(codes) / len(codes)
    n_changes = np.count_nonzero(codes[1:] != codes[:-1])
    expected = len(codes) * (1 - (proportions**2).sum())
    return bool(proportions.max() <= MOST_ALIKE and n_changes >= LEAST_VARIED * expected)


def warn_of_shift(rows: Rows) -> bool:
    """Warn if raters agree in a part only after one column is moved by one row.

    Return whether a warning was issued. There is no warning if each rating predicts the next, as in
    a repeated cycle, because a shift then looks like different codes for the labels.
    """
    (first, second), n = rows.codes, rows.codes.shape[1]
    same = (first == second).astype(np.int64)
    above, below = (
        (one == other).astype(np.int64)
        for one, other in ((first[:-1], second[1:]), (first[1:], second[:-1]))
    )
    is_up = above.sum() > below.sum()
    gain = above - same[:-1] if is_up else below - same[1:]
    # Find the part in which moving one column adds the most matches.
    sums = np.append(0, np.cumsum(gain))
    stop = int((sums - np.minimum.accumulate(sums)).argmax())
    start = stop - int(sums[: stop + 1][::-1].argmin())
    if stop - start < FEWEST_OF_PART:
        return False
    own = rows.codes[:, start : stop + 1]
    moved = np.array([own[0, :-1], own[1, 1:]] if is_up else [own[0, 1:], own[1, :-1]])
    given, better = round(_kappa(own), 2) + 0.0, _kappa(moved)
    if given >= GIVEN or better < MOVED or not _is_improbable(moved, n):
        return False
    # If few items lack the most frequent label, these items can be adjacent by chance.
    if own.shape[1] - np.bincount(own[0]).max() < LEAST_REPEATS:
        return False
    if is_predicted(pairs(first[1:], first[:-1], int(rows.codes.max()) + 1)):
        return False
    b, where, of = rows.names[1], "", ""
    if start >= FEWEST_OF_PART or n - stop > FEWEST_OF_PART:
        to = "on" if n - stop <= FEWEST_OF_PART else f"to {rows.place(stop)}"
        where, of = f" from about position {rows.place(start)} {to}", " of these items"
    warn(
        f"{b} seems to be shifted by one row{where}: unweighted kappa{of} is {given:.2f}, and would"
        f" be {better:.2f} with {b} moved one row {'up' if is_up else 'down'}. Check that both"
        " ratings in each row are for the same item."
    )
    return True


def _is_improbable(codes: AnyArray, n: int) -> bool:
    """Return whether so much agreement in any of the parts is improbable by chance."""
    length, side = codes.shape[1], int(codes.max()) + 1
    proportions = [np.bincount(own, minlength=side) / length for own in codes]
    n_same = int(np.count_nonzero(codes[0] == codes[1]))
    by_chance = _log_tail(n_same, length, float(proportions[0] @ proportions[1]))
    return 2 * math.log(n) + by_chance < BY_CHANCE


def _log_tail(k: int, n: int, rate: float) -> float:
    """Return the logarithm of Chernoff's bound for at least k successes in n trials."""
    observed = k / n
    if observed <= rate:
        return 0.0
    if not rate:
        return -math.inf
    found = observed * math.log(rate / observed)
    if k < n:
        found += (1 - observed) * math.log((1 - rate) / (1 - observed))
    return n * found


def warn_of_run(rows: Rows) -> bool:
    """Warn if a rater gives only one label at an end of the column or in a long run elsewhere.

    Return whether a warning was issued. The run must be far longer than chance explains, and the
    other rater's ratings must vary there.
    """
    codes, n = rows.codes, rows.codes.shape[1]
    for i, own in enumerate(codes):
        starts = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
        lengths = np.diff(np.append(starts, n))
        for k in dict.fromkeys([len(starts) - 1, 0, int(lengths.argmax())]):
            start, length = int(starts[k]), int(lengths[k])
            where = {0: f"the first {length} items", n - length: f"the last {length} items"}
            others = f"the {length} items from position {rows.place(start)}"
            if is_default(codes, i, (np.arange(n) - start) // length == 0):
                warn_of_default(rows.names[:: 1 - 2 * i], where.get(start, others))
                return True
    return False


def is_default(codes: AnyArray, i: int, is_part: AnyArray) -> bool:
    """Return whether a rater has only one label in a part for a reason other than chance.

    The result is True only if the other rater's ratings vary in this part.
    """
    rest, other = codes[:, ~is_part], codes[1 - i, is_part]
    length, n_rest = len(other), rest.shape[1]
    if length < SHORTEST_RUN or n_rest < FEWEST_OF_PART or not _vary(other):
        return False
    label = codes[i, is_part][0]
    has_label, other_has_label = (rest == label)[:: 1 - 2 * i]
    repeated = (rest[i, 1:] == rest[i, :-1]).mean()
    rate = max(has_label.mean() + SPARE / codes.shape[1], repeated)
    if length * math.log(rate) > BY_CHANCE:
        return False
    # If the part consists of items with this label, the other rater's ratings are distributed as
    # for other items with this label. Otherwise, they are distributed as for all items.
    k = np.count_nonzero(other == label)
    both = np.count_nonzero(has_label & other_has_label)
    own_rate = (both + 1) / (np.count_nonzero(has_label) + 2)
    any_rate = (np.count_nonzero(other_has_label) + 1) / (n_rest + 2)
    evidence = k * math.log(any_rate / own_rate)
    evidence += (length - k) * math.log((1 - any_rate) / (1 - own_rate))
    # If the part consists of disagreements, the other rater has this label less often.
    least = any_rate * length - FEWER * math.sqrt(any_rate * (1 - any_rate) * length)
    is_likely = evidence > LEAST_EVIDENCE and k >= max(least, 1)
    return bool(is_likely and _kappa(rest) >= LEAST_ELSEWHERE)


def warn_of_default(names: Sequence[str], where: str) -> None:
    """Warn that the first of two raters has only one label in a part."""
    warn(
        f"{names[0]} has the same rating for {where}, but {names[1]} does not. If these ratings"
        " were filled down in a spreadsheet, or are a tool's default value, leave these items out."
    )


def warn_of_copied(rows: Rows) -> bool:
    """Warn if raters agree on all items of a part, and chance does not explain this agreement.

    Return whether a warning was issued. There is no warning if the part is sorted by label, because
    raters can agree on all items of one label. Rows can also be sorted by agreement.
    """
    (first, second), n = rows.codes, rows.codes.shape[1]
    same = first == second
    bounds = np.concatenate([[-1], np.flatnonzero(~same), [n]])
    longest = int(np.diff(bounds).argmax())
    start, stop = int(bounds[longest]) + 1, int(bounds[longest + 1])
    length = stop - start
    second_longest = int(np.partition(np.diff(bounds), -2)[-2])
    if length < TIMES * second_longest:
        return False
    is_part = np.zeros(n, bool)
    is_part[start:stop] = True
    agreed = agreed_elsewhere(rows.codes, is_part)
    if agreed is None:
        return False
    a, b = rows.names
    warn(
        f"{a} and {b} agree on all {length} items from position {rows.place(start)} to"
        f" {rows.place(stop - 1)}, but on only {percent_text(agreed)} of the others. If one rater's"
        " ratings of these items were copied from the other rater, leave out the items."
    )
    return True


def agreed_elsewhere(codes: AnyArray, is_part: AnyArray) -> float | None:
    """Return the agreement outside a part in which two raters agree on all items.

    Return None if chance explains the agreement in the part.
    """
    part, rest = codes[0, is_part], codes[:, ~is_part]
    if min(len(part), rest.shape[1]) < FEWEST_OF_PART or not _vary(part):
        return None
    agreed = rest[0] == rest[1]
    side = int(codes.max()) + 1
    n_of_label = np.bincount(rest.ravel(), minlength=side) / 2
    rates = (np.bincount(rest[0, agreed], minlength=side) + SPARE) / (n_of_label + SPARE)
    # If agreements are also adjacent elsewhere, as for a series of easy items, a long run is less
    # unusual.
    repeated = (agreed[1:] & agreed[:-1]).sum() / max(agreed[:-1].sum(), 1)
    by_chance = math.log(codes.shape[1]) + np.log(np.maximum(rates, repeated))[part].sum()
    if by_chance > COPIED_BY_CHANCE or _kappa(rest) < LEAST_ELSEWHERE:
        return None
    return float(agreed.mean())


def higher_agreement(part: AnyArray, others: AnyArray) -> tuple[float, float] | None:
    """Return the agreement in a part and in other rows, or None if it is not higher in the part.

    The arguments say for each row whether two raters agree. Return None also if chance explains the
    difference.
    """
    if not len(part) or len(others) < FEWEST_OF_PART:
        return None
    rate = float((others.sum() + 1) / (len(others) + 2))
    is_chance = _log_tail(int(part.sum()), len(part), rate) > BY_CHANCE
    return None if is_chance else (float(part.mean()), float(others.mean()))


def warn_of_filled(rows: Rows) -> bool:
    """Warn if a rater who disagrees nearly always repeats the rating of the row above.

    Return whether a warning was issued. There is no warning if the rater also repeats that rating
    when the raters agree, as for items of one patient, or if the other rater does the same.
    """
    differ = (rows.codes[0] != rows.codes[1])[1:]
    repeats = rows.codes[:, 1:] == rows.codes[:, :-1]
    n, n_agreed = int(differ.sum()), int((~differ).sum())
    k = (repeats & differ).sum(axis=1).tolist()
    i = int(k[1] > k[0])
    if n_agreed < FEWEST_OF_PART or not k[1 - i] < LEAST_FILLED * n <= k[i]:
        return False
    used = np.bincount(rows.codes[i]) / rows.codes.shape[1]
    by_label = float(used[rows.codes[i, 1:][differ]].mean())
    expected = max(by_label, float((repeats[i] & ~differ).sum() / n_agreed))
    is_chance = k[i] < (expected + LEAST_MORE) * n or _log_tail(k[i], n, expected) > BY_CHANCE
    if is_chance or _kappa(rows.codes) < LEAST_KAPPA:
        return False
    name, other = rows.names[i], rows.names[1 - i]
    warn(
        f"in {k[i]} of {n} disagreements, {name} repeats the rating in the row above, but"
        f" {other} does so in only {k[1 - i]}. If blanks were filled from above, treat them as"
        " missing ratings."
    )
    return True

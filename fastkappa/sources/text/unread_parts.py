"""Use columns that are not read to detect parts in which two raters' ratings were made differently.

The ratings of a part can be copies or defaults, changed later, or use the labels for other
categories. They can be in another column, or raters can exchange columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.formatting import first_of_many, percent_text
from fastkappa.ratings.doubtful_labels import groups_text, warn
from fastkappa.ratings.label_order import is_number
from fastkappa.ratings.lengths import similar_ids
from fastkappa.ratings.missing import stand_ins
from fastkappa.sources.text.unread_groups import PLACE, Unread
from fastkappa.tables.doubtful_rows import (
    SHORTEST_RUN,
    agreed_elsewhere,
    higher_agreement,
    is_default,
    pairs,
    warn_of_default,
)
from fastkappa.tables.two_codings import (
    FEWEST_APART,
    LEAST_BY_CHANCE,
    MOST_LABELS,
    may_be_coded_apart,
    two_codings,
)

# A warning about two raters who always agree where another column is blank requires that this
# column is blank for at most this proportion of all items on which they agree.
MOST_BLANK = 0.6
# If a rater uses only one label in a part, a warning requires at least this many ratings with this
# label elsewhere.
FEWEST_ELSEWHERE = 5
# A warning about exchanged labels requires at most `MOST_EXCHANGED` parts, in a column of places or
# a column whose name matches `EXCHANGED`. Other columns can be derived from the ratings. For
# example, two labels also look exchanged for the items on which a third rater disagrees with one
# rater.
MOST_EXCHANGED = 10
EXCHANGED = re.compile(
    r"swap|flip|revers|inver|mirror|permut|(?<![^\W\d_])(order|position|side|batch|file|source"
    r"|export|version|data ?set|team|lab)s?(?![^\W\d_])",
    re.IGNORECASE,
)
# A warning about raters who exchange columns requires two columns whose names match `RATER`. The
# alphabetical order of two names and the reverse order must each occur in at least the proportion
# `LEAST_EXCHANGED` of the rows.
RATER = re.compile(
    "rater|reader|judge|observer|annotator|coder|grader|scorer|reviewer|assessor|examiner|evaluator"
    r"|labell?er|(?<![^\W\d_])by(?![^\W\d_])",
    re.IGNORECASE,
)
LEAST_EXCHANGED = 0.1
WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
# The words that distinguish a column of ratings before changes from one after changes.
EARLIER = frozenset(
    ["previous", "prev", "old", "before", "original", "initial", "first", "earlier", "prior"]
)
LATER = frozenset(["final", "new", "current", "revised", "last", "after"])
# Changed ratings look settled in a discussion if at least this proportion agree.
LEAST_SETTLED = 0.95
# Matches the end of the names in a second block of columns, as in "id.1" beside "id".
OF_BLOCK = re.compile(r"[\W_]?\d+$")

# A pair of raters, a mask of the items that both rated, their codes for these items, and the sorted
# labels as strings.
OfTwo = tuple[tuple[str, str], NDArray[np.bool_], AnyArray, AnyArray]


def warn_of_parts(given: Unread) -> None:
    """Warn about parts in which the ratings of two raters were probably made differently."""
    _warn_of_prefilled(given)
    _warn_of_defaults(given)
    _warn_of_exchanged(given)
    _warn_of_roles(given)
    _warn_of_renamed(given)
    _warn_of_blocks(given)
    _warn_of_changed(given)
    _warn_of_cut(given)
    if any("" in given.fields[name] for name in given.rated):
        _warn_of_split(given)


def _warn_of_prefilled(given: Unread) -> None:
    """Warn if two raters always agree where another column, such as a date, is blank.

    There is no warning if the column is blank for most items on which the raters agree, because it
    can then contain notes or an adjudicator's ratings.
    """
    blank = {name: np.array(given.fields[name]) == "" for name in given.others}
    names = [name for name, is_blank in blank.items() if is_blank.any()]
    masks = np.array([blank[name] for name in names])
    for pair, are_rated, codes, _ in _of_two(given) if names else ():
        same = codes[0] == codes[1]
        differs = np.zeros(len(are_rated), bool)
        differs[are_rated] = ~same
        for k in np.flatnonzero(~np.any(masks & differs, axis=1)).tolist():
            is_blank = masks[k, are_rated]
            if is_blank.sum() > MOST_BLANK * same.sum():
                continue
            agreed = agreed_elsewhere(codes, is_blank)
            if agreed is not None:
                warn(
                    f"{pair[0]} and {pair[1]} agree on all {is_blank.sum()} items with no value in"
                    f" {names[k]!r}, but on only {percent_text(agreed)} of the others. If one"
                    " rater's ratings of these items were copied from the other rater, leave out"
                    " the items."
                )
                return


def _of_two(given: Unread) -> Iterator[OfTwo]:
    """Yield each pair of raters with their ratings."""
    are_rated, codes, texts = _coded(given, given.rated)
    for i, j in combinations(range(len(codes)), 2):
        both = are_rated[i] & are_rated[j]
        yield (given.rated[i], given.rated[j]), both, codes[[i, j]][:, both], texts


def _coded(given: Unread, names: Sequence[str]) -> tuple[NDArray[np.bool_], AnyArray, AnyArray]:
    """Return a mask of the ratings in some columns, their codes, and the labels as strings."""
    items = np.array([given.fields[name] for name in names])
    are_rated, codes = items != "", np.zeros(items.shape, np.intp)
    values = items[are_rated]
    if all(map(is_number, {*values.tolist()})):
        values = values.astype(float)
    labels, codes[are_rated] = np.unique(values, return_inverse=True)
    texts = labels if labels.dtype.kind == "U" else np.array([f"{label:g}" for label in labels])
    return are_rated, codes, texts


def _warn_of_defaults(given: Unread) -> None:
    """Warn if a rater has only one label in all rows that a value of another column selects.

    In these rows, the label can be a default, for example after failed requests. The label must
    also occur elsewhere, because the column could be derived from the ratings. It must differ from
    the column's text, because this text can itself be a rating. If the column has blanks, its texts
    are not compared, because an adjudicator rates few items on which raters agree.
    """
    parts: list[tuple[str, NDArray[np.bool_]]] = []
    for name in given.others:
        fields = np.array(given.fields[name])
        if (is_blank := fields == "").any():
            parts += [(f"{name!r} is blank", is_blank), (f"{name!r} is not blank", ~is_blank)]
            continue
        often = [text for text, n in Counter(fields.tolist()).items() if n >= SHORTEST_RUN]
        parts += [(f"{name!r} is {text!r}", fields == text) for text in often]
    # Most parts are ruled out for each rater before raters are compared, because there can be
    # thousands of pairs of raters.
    all_rated, all_codes, _ = _coded(given, given.rated)
    of_rater = {
        name: [part for part in parts if len(np.unique(own[part[1] & is_rated])) == 1]
        for name, is_rated, own in zip(given.rated, all_rated, all_codes)
    }
    for pair, are_rated, codes, labels in _of_two(given):
        found = [(i, *part) for i, name in enumerate(pair) for part in of_rater[name]]
        for i, where, of_all in found:
            is_part = of_all[are_rated]
            used = codes[i, is_part]
            if not len(used):
                continue
            label = str(labels[used[0]])
            if where.endswith(f" {label!r}") or stand_ins([label]):
                continue
            n_elsewhere = np.count_nonzero(codes[i] == used[0]) - len(used)
            if n_elsewhere >= FEWEST_ELSEWHERE and is_default(codes, i, is_part):
                warn_of_default(pair[:: 1 - 2 * i], f"the {len(used)} items for which {where}")
                return


def _warn_of_exchanged(given: Unread) -> None:
    """Warn if two raters name or number the labels differently in some parts, but not in all."""
    for name in (*given.others, *given.keys):
        parts, places = np.unique(given.fields.get(name, ()), return_inverse=True)
        is_named = EXCHANGED.search(name) or PLACE.search(name)
        if not is_named or not 2 <= len(parts) <= MOST_EXCHANGED:
            continue
        for pair, are_rated, codes, labels in _of_two(given):
            if not 1 < len(labels) <= MOST_LABELS:
                continue
            found = {}
            for i, part in enumerate(parts.tolist()):
                first, second = codes[:, places[are_rated] == i]
                table = pairs(first, second, len(labels))
                # A part that has only disagreements can be a round in which raters settle
                # disagreements.
                is_odd = table.trace() > 0 and may_be_coded_apart(labels, table, table)
                if is_odd and (text := two_codings(labels, table, pair, are_given=True)):
                    found[part] = text
            if 0 < len(found) < len(parts):
                shown = first_of_many([*map(repr, found)], 3)
                warn(f"where {name!r} is {shown}, {min(found.values())}")
                return


def _warn_of_roles(given: Unread) -> None:
    """Warn if two columns of ratings are roles, such as first reader, that raters exchange.

    In this case, two columns name the raters. The names of these columns differ in the same way as
    the names of the columns of ratings. Both columns contain the same raters, in either order, but
    never the same rater twice in one row. If some rows contain a rater twice and the ratings agree
    more often in these rows, warn that they do not have two raters.
    """
    of_raters = [*filter(RATER.search, given.others)]
    for rated, are_rated, codes, _ in _of_two(given):
        for raters in combinations(of_raters, 2):
            if name_difference(*rated) != name_difference(*raters):
                continue
            names = np.array([given.fields[name] for name in raters])[:, are_rated]
            are_named = (names != "").all(axis=0)
            first, second = names[:, are_named]
            is_one, same = first == second, (codes[0] == codes[1])[are_named]
            n, n_sorted = len(first), int((first < second).sum())
            found = higher_agreement(same[is_one], same[~is_one])
            if found:
                warn(
                    f"in {is_one.sum()} of {n} rows, {raters[0]!r} and {raters[1]!r} contain the"
                    f" same name, and {rated[0]!r} and {rated[1]!r} agree on"
                    f" {percent_text(found[0])} of these rows, but on only {percent_text(found[1])}"
                    " of the others. If the same person rated twice, or one rating was copied from"
                    " the other, leave out these rows."
                )
                return
            n_of, n_of_other = Counter(first.tolist()), Counter(second.tolist())
            if (
                n_of.keys() == n_of_other.keys()
                and 0 < LEAST_BY_CHANCE * n <= sum(n_of[name] * n_of_other[name] for name in n_of)
                and not is_one.any()
                and LEAST_EXCHANGED * n <= n_sorted <= (1 - LEAST_EXCHANGED) * n
            ):
                warn(
                    f"columns {raters[0]!r} and {raters[1]!r} contain the same names, in"
                    f" alphabetical order in {n_sorted} of {n} rows. If they name the raters of"
                    f" {rated[0]!r} and {rated[1]!r}, each column of ratings mixes several raters:"
                    " use one row per rating, with columns for the item, the rater and the rating."
                )
                return


def name_difference(*names: str) -> tuple[set[str], set[str]]:
    """Return the words that only the first or only the second of two names contains."""
    first, second = ({*map(str.casefold, WORD.findall(name))} for name in names)
    return first - second, second - first


def _warn_of_renamed(given: Unread) -> None:
    """Warn if another column has ratings in exactly the rows where a column of ratings is blank."""
    for name, other in product(given.rated, given.others):
        own, rest = given.fields[name], given.fields[other]
        n = len(rest) - rest.count("")
        is_apart = n >= FEWEST_APART and not any(x and y for x, y in zip(own, rest))
        if is_apart and have_same_labels(own, rest):
            warn(
                f"column {other!r} has ratings in only {n} rows, and {name!r} is blank in all of"
                " them. If the two columns are one column under two names, join them instead of"
                " leaving out these rows."
            )
            return


def have_same_labels(own: Sequence[str], rest: Sequence[str]) -> bool:
    """Return whether two columns have mostly the same labels."""
    labels, of_rest = (
        {float(x) if is_number(x) else x for x in {*column} - {""}} for column in (own, rest)
    )
    return 2 * len(labels & of_rest) > len(labels | of_rest) > 1


def _warn_of_blocks(given: Unread) -> None:
    """Warn if a second block of columns, such as id.1 and a.1 beside id and a, has other items.

    If the second block has no ids, or the same ids, it can contain second ratings of the items.
    """
    fields = given.fields
    ends = [name.removeprefix(given.rated[0]) for name in given.others]
    ids = list(dict.fromkeys(OF_BLOCK.sub("", name) for name in (*given.id_columns, *given.keys)))
    for end in filter(OF_BLOCK.fullmatch, ends if ids else ()):
        block = {name: name + end for name in fields if name + end in given.others}
        if (
            {*given.rated, *ids} <= block.keys()
            and all({*fields[one]} & {*fields[block[one]]} <= {""} for one in ids)
            and all(have_same_labels(fields[own], fields[block[own]]) for own in given.rated)
        ):
            warn(
                f"column {block[ids[0]]!r} has other items than column {ids[0]!r}, but the ratings"
                f" of these items in {' and '.join(repr(block[own]) for own in given.rated)} are"
                " not read. If two blocks of rows are side by side, move the second block below"
                " the first."
            )
            return


def _warn_of_changed(given: Unread) -> None:
    """Warn about changed ratings that nearly always agree with those of another rater.

    A column such as b_previous contains the ratings of b before the changes. The changed ratings
    must agree better than all ratings before the changes, unlike ratings of difficult items that a
    rater repeated without knowing the other ratings.
    """
    for name, other in product(given.rated, given.others):
        later, earlier = name_difference(name, other)
        are_stages = later <= LATER and not earlier.isdisjoint(EARLIER)
        if not are_stages or not have_same_labels(given.fields[name], given.fields[other]):
            continue
        for peer in given.rated:
            are_rated, codes, _ = _coded(given, (name, other, peer))
            both = are_rated[0] & are_rated[2]
            own, before, others = codes[:, both]
            is_changed = are_rated[1, both] & (own != before)
            same, before_same = own == others, np.where(is_changed, before, own) == others
            found = higher_agreement(same[is_changed], before_same)
            if peer != name and found and found[0] >= LEAST_SETTLED:
                warn(
                    f"{np.count_nonzero(is_changed)} ratings in {name!r} differ from {other!r}, and"
                    f" agree with {peer!r} on {percent_text(found[0])} of these items. Before the"
                    f" changes, the agreement on all items was only {percent_text(found[1])}. If"
                    " ratings were changed after a discussion, the raters are not independent: use"
                    f" {other!r} in these rows."
                )
                return


def _warn_of_cut(given: Unread) -> None:
    """Warn if ratings are the numbers of another column without decimals, instead of rounded.

    The rounded numbers must agree better with another rater, because labels such as ages are
    correct without decimals.
    """
    with_decimals = [name for name in given.others if any("." in x for x in given.fields[name])]
    numbers = {
        name: np.array([float(x or "nan") for x in given.fields[name]])
        for name in (*given.rated, *with_decimals)
        if all(is_number(x) for x in given.fields[name] if x)
    }
    rated = [name for name in given.rated if name in numbers]
    for other, name in product(filter(numbers.__contains__, with_decimals), rated):
        raw, own = numbers[other], numbers[name]
        rounded, is_filled = np.rint(raw), ~np.isnan(raw + own)
        if not (own == np.trunc(raw))[is_filled].all():
            continue
        is_cut = is_filled & (own != rounded)
        for peer in rated:
            others = numbers[peer][is_cut]
            found = higher_agreement(rounded[is_cut] == others, own[is_cut] == others)
            if found:
                i = int(is_cut.argmax())
                warn(
                    f"{name!r} contains the numbers in {other!r} without their decimals, such as"
                    f" {own[i]:g} for {raw[i]:g}. Of the {len(others)} items for which rounding"
                    f" makes a difference, {name!r} and {peer!r} agree on {percent_text(found[1])},"
                    f" but would agree on {percent_text(found[0])} after rounding. If the"
                    " labels are rounded numbers, round before you convert to integers."
                )
                return


def _warn_of_split(given: Unread) -> None:
    """Warn if similar ids seem to be one item whose ratings are in different rows."""
    rated = np.array([given.fields[name] for name in given.rated]) != ""
    some = np.flatnonzero(~rated.all(axis=0)).tolist()
    for name in [*given.id_columns, *given.keys]:
        row_of = {given.fields[name][row]: row for row in some}
        split = [
            ids
            for ids in similar_ids(row_of)
            if (rated[:, [row_of[one] for one in ids]].sum(axis=1) == 1).all()
        ]
        if split:
            warn(
                f"{name!r} contains {groups_text(split)}."
                " Each rater has a rating in only one row of each group. If the names mean the same"
                " item, use one spelling and put its ratings in one row."
            )
            return

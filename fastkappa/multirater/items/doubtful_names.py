"""Detect names of items and raters in long form that are probably mistakes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text, first_of_many
from fastkappa.multirater.items.doubtful_raters import MOST_JUDGED
from fastkappa.multirater.items.identified import Identified
from fastkappa.ratings.doubtful_labels import MOST_SHOWN, MOST_TYPED, groups_text, warn
from fastkappa.ratings.label_order import is_number
from fastkappa.ratings.lengths import are_offset_ids, similar_ids
from fastkappa.ratings.looks import alike_among

# A name is reported as a rare misspelling if a similar name (with a likeness of at least
# LEAST_LIKENESS) has at least RARER times as many ratings.
RARER, LEAST_LIKENESS = 10, 0.8
# If two raters are expected to have this many items in common by chance, they are unlikely to have
# none.
SHARED = 10
# If a rater has fewer ratings than this, it can be chance that no other rater rated the same items.
FEWEST_ALONE = 10
# If there are more ratings than this, there is no check for raters who number items from 0 while
# others number them from 1, because the check would need too much memory.
MOST_NUMBERED = 1 << 20
# The domain of a mail address.
DOMAIN = re.compile(r"@[\w-]+(\.[\w-]+)*\.[a-z]{2,}$", re.IGNORECASE)
# Characters that are not part of a name unless they separate two numbers, as in "v1.2".
SEPARATOR = re.compile(r"(?<!\d)[\s.,_-]+|[\s.,_-]+(?!\d)")


def warn_of_logins(names: Sequence[str], *, with_alike: bool = False) -> None:
    """Warn about raters whose names differ only in case, separators or a mail domain.

    Names with different domains are different raters. In long form, another warning covers names
    that look alike, such as names that differ only in case. For any other form, pass
    ``with_alike=True`` to include such names here.
    """
    of_one: dict[str, list[str]] = defaultdict(list)
    for name in names if len(names) <= MOST_TYPED else ():
        if not is_number(name):
            of_one[_login(name)].append(name)
    found = [
        " and ".join(map(repr, own))
        for own in of_one.values()
        if len(own) > 1
        and len({domain[0].casefold() for domain in map(DOMAIN.search, own) if domain}) < 2
        and (with_alike or not alike_among(own))
    ]
    if found:
        warn(
            f"some names of raters are similar: {first_of_many(found, MOST_SHOWN, '; ')}. They were"
            " read as different raters. If they are the same rater, use one spelling."
        )


def _login(name: str) -> str:
    return SEPARATOR.sub("", DOMAIN.sub("", name)).casefold()


def warn_of_mistyped(names: Sequence[str], is_rated: NDArray[np.bool_]) -> None:
    """Warn about a rater's name that looks like a mistyped version of another rater's name.

    The names must be similar, and the raters must have no item in common. In addition, one of two
    conditions must hold. Either one rater has far fewer ratings than the other, or the names differ
    by a missing, added or swapped letter and many common items are expected by chance. Names that
    differ in a number are not considered mistyped. ``is_rated`` has one row per rater and one
    column per item.
    """
    from difflib import get_close_matches

    n_ratings = is_rated.sum(axis=1).tolist()
    order = sorted(range(len(names)), key=n_ratings.__getitem__)
    for few, many in combinations(order, 2):
        if (is_rated[few] & is_rated[many]).any():
            continue
        words = [re.sub(r"\d", "", _login(names[i])) for i in (few, many)]
        is_rare = RARER * n_ratings[few] <= n_ratings[many]
        by_chance = n_ratings[few] * n_ratings[many] / is_rated.shape[1]
        is_slip = len(words[0]) != len(words[1]) or sorted(words[0]) == sorted(words[1])
        if words[0] == words[1] or not (is_rare or (is_slip and by_chance >= SHARED)):
            continue
        if get_close_matches(words[0], words[1:], cutoff=LEAST_LIKENESS):
            warn(
                f"rater {names[few]!r} has {count_text(n_ratings[few], 'rating')},"
                f" and {names[many]!r} has {n_ratings[many]} ratings of other items. If they are"
                " the same rater, use one spelling."
            )


def warn_of_strangers(names: Sequence[str], raters: AnyArray, starts: NDArray[np.intp]) -> None:
    """Warn about raters who share no item with other raters, perhaps because id formats differ.

    ``raters`` are the numbers of the raters, sorted by item. There is no warning if there are many
    raters, because it is then normal for some of them to share no item.
    """
    alone = raters[starts[:-1][np.diff(starts) == 1]]
    if not len(alone) or len(names) > MOST_JUDGED:
        return
    n_alone, n_ratings = (np.bincount(part, minlength=len(names)) for part in (alone, raters))
    strangers = [
        repr(name) for name, n, of in zip(names, n_alone, n_ratings) if n == of >= FEWEST_ALONE
    ]
    if strangers and len(strangers) < len(names):
        warn(
            f"some raters have no item in common with any other rater: {', '.join(strangers)}."
            " Check that the item ids are formatted in the same way in all files or rows."
        )


def warn_of_split_items(items: Identified, pairs: AnyArray, n_raters: int) -> bool:
    """Warn about similar names that probably mean the same item, because no rater used both names.

    Return whether there are such names. ``pairs`` are sorted numbers: the item's number times the
    number of raters, plus the rater's number.
    """
    starts = np.searchsorted(pairs, np.arange(items.n_distinct + 1) * n_raters)
    # If every rater rated an item under the same name, the item has no second spelling.
    parts = np.flatnonzero(np.diff(starts) < n_raters)
    if not 2 <= len(parts) <= MOST_TYPED or not isinstance(items.name_of(0), str):
        return False
    rows = np.zeros(items.n_distinct, np.intp)
    rows[items.numbers] = np.arange(len(items.numbers))
    number = {items.name_of(int(rows[i])): i for i in parts.tolist()}

    def are_one(names: Sequence[str]) -> bool:
        raters = [
            pairs[starts[i] : starts[i + 1]] % n_raters for i in map(number.__getitem__, names)
        ]
        together = np.concatenate(raters)
        return len(np.unique(together)) == len(together)

    split = list(filter(are_one, similar_ids(number)))
    if split:
        warn(
            f"item contains {groups_text(split)}. The names were read as different items, but no"
            " rater used two names of the same group. If similar names mean the same item, use one"
            " spelling."
        )
    return bool(split)


def warn_of_offset_ids(items: Identified, pairs: AnyArray, names: Sequence[str]) -> None:
    """Warn if one rater's items seem to be numbered from 0, and another's from 1.

    ``pairs`` are sorted numbers, as for `warn_of_split_items`.
    """
    if len(names) > MOST_JUDGED or len(pairs) > MOST_NUMBERED:
        return
    numbers, raters = np.divmod(pairs, len(names))
    nearly_all = np.flatnonzero(np.bincount(raters) == items.n_distinct - 1).tolist()
    lacking = {}
    for rater in nearly_all if len(nearly_all) > 1 else ():
        of_all = items.n_distinct * (items.n_distinct - 1) // 2
        number = of_all - int(numbers[raters == rater].sum())
        lacking[rater] = items.name_of(int(np.argmax(items.numbers == number)))
    for one, other in combinations(lacking, 2):
        ids = [lacking[other]], [lacking[one]]
        if are_offset_ids(*ids, items.n_distinct - 1):
            warn(
                f"{names[one]} and {names[other]} rated the same items, except that only"
                f" {names[one]} has item {ids[0][0]} and only {names[other]} has item {ids[1][0]}."
                " If one list of ids counts from 0 and the other from 1, number them the same way."
            )
            return

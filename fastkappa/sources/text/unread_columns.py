"""Use all columns of a source to detect rows that are probably not items.

A spreadsheet can contain subtotals. An export can be appended twice, or contain one line per pair
of labels. A join can repeat the ratings of an item. `unread_groups` and `unread_parts` judge groups
of rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from datetime import date
from itertools import chain, combinations, pairwise, product
from operator import eq
from typing import Any

import numpy as np

from fastkappa.formatting import count_text, first_of_many
from fastkappa.ratings.doubtful_labels import FEWEST_IDS, warn
from fastkappa.ratings.label_order import is_number
from fastkappa.ratings.missing import is_missing
from fastkappa.sources.text.unread_groups import ID, Unread, warn_of_groups
from fastkappa.sources.text.unread_parts import (
    have_same_labels,
    name_difference,
    warn_of_parts,
)
from fastkappa.tables.doubtful_tables import FEWEST_CELLS

TOTALS = frozenset(
    [
        *("total", "totals", "grand total", "sum", "subtotal", "mean", "average", "median", "sd"),
        *("std", "stdev", "std. dev.", "variance", "min", "minimum", "maximum", "valid"),
        *("gesamt", "summe", "mittelwert", "moyenne", "somme", "total général", "media", "suma"),
        *("count", "counts", "grand count", "anzahl", "ergebnis", "gesamtergebnis", "gesamtsumme"),
        *("teilergebnis", "zwischensumme", "nombre", "cuenta", "promedio", "total general"),
        *("合計", "総計", "平均", "% agreement", "percent agreement", "agreement", "kappa"),
    ]
)
COUNTS = frozenset(
    ["n", "count", "counts", "freq", "frequency", "number", "cases", "anzahl", "effectif"]
)
# A warning about a join requires at least `FEWEST_REPEATED` repeated ids, and disagreement between
# the raters on at least the proportion `LEAST_DISPUTED` of these ids.
FEWEST_REPEATED, LEAST_DISPUTED = 20, 0.1
# Matches the ids of items that were entered to test a tool.
TEST = re.compile(
    r"(?i:[zx]*[\W_]*(test|dummy|demo|training|practice)[\W_]*"
    r"(patient|subject|record|case|user|item|id)?[\W_]*\d*)"
)
# Matches the state of an answer that was not submitted or no longer counts.
STATE = re.compile(r"(?i:(discard|draft|skip|ignor|cancel|withdraw)\w*|not[\W_]submitted)")
# A warning about ids that match `TEST` requires that at most the proportion `MOST_TESTS` of the ids
# match, and that no other id matches `SPLIT`. If an id matches `SPLIT`, the test items are probably
# those used to test a model.
SPLIT, MOST_TESTS = re.compile("train|val|dev", re.IGNORECASE), 0.05
# Matches the name of a column of sampling weights, but not of the weights of people.
WEIGHT = re.compile(
    r"(?i:(sampl(e|ing)|survey|design|inverse[\W_]?prob(ability)?|p)[\W_]?weights?"
    r"|ip[tcs]?w|inverse[\W_]?prob(ability)?)"
)
# Matches the name of a column that numbers the versions of an item.
VERSION = re.compile(r"(?i:(?<![^\W\d_])(version|revision|rev)(?![^\W\d_]))")
# A warning about versions requires that at most this proportion of the items have several versions.
MOST_CHANGED = 0.9
# A warning about a join by only part of the key requires at least this many ids for which both
# raters have several labels. A warning about several predictions of an item requires at least this
# many ids whose label is not the most frequent one.
FEWEST_COMBINED = 10
# A column is taken for ids or free text only if at least this proportion of its values are
# distinct.
LEAST_DISTINCT = 0.9
# Frames with more rows than this are not checked, because converting their columns to strings would
# take longer than counting.
MOST_ROWS = 2000


def judge_frame(
    frame: Any, there: Sequence[Any], rated: Sequence[Hashable], keys: Sequence[Hashable] = ()
) -> None:
    """Judge the columns of a small frame, table or mapping in memory.

    ``there`` are the names of all columns.
    """
    read = {*rated, *keys}
    # Skip the checks if a required column is missing or ambiguous, because reading it later raises
    # the error.
    if not (rated and {*rated} < {*there} and read <= {*there}) or any(
        there.count(name) > 1 for name in read
    ):
        return
    n_rows, fields = len(frame[rated[0]]), {}
    for name in there if n_rows <= MOST_ROWS else ():
        column = frame[name] if there.count(name) == 1 else ()
        if not hasattr(column, "__len__") or len(column) != n_rows:
            continue
        values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
        first = next((one for one in values if not is_missing(one)), None)
        # Skip other objects, because some of them, such as embeddings, are very long as text.
        if isinstance(first, (str, int, float, date, np.generic)):
            fields[str(name)] = ["" if is_missing(one) else str(one) for one in values]
    judge_columns(Unread("the source", fields, [*map(str, rated)], [*map(str, keys)], n_rows))


def judge_columns(given: Unread, *, is_whole: bool = True) -> None:
    """Warn about rows of a source that are probably not its items.

    If only the first rows are given, rules that concern all rows are skipped.
    """
    if not given.fields or not set(given.rated) <= given.fields.keys():
        return
    if given.rated:
        # Raters can have letters or numbers as names, and the names can be repeated in one row.
        texts = Counter(chain.from_iterable(given.fields[name] for name in given.rated))
        if all(len(n) > 1 < texts[n] and not is_number(n) for n in given.rated):
            warn(
                f"{given.source} has columns called {first_of_many([*map(repr, given.rated)], 3)},"
                " which are also labels in these columns. If the first row contains ratings, add"
                " the names of the columns above it, or use --no-header on the command line."
            )
        _warn_of_subtotals(given)
        _warn_of_tests(given)
        _warn_of_weights(given)
    rules = [_warn_of_repeated] if is_whole else []
    rules += [_warn_of_versions, _warn_of_part_of_key, _warn_of_join, _warn_of_stacked]
    any(rule(given) for rule in rules)
    if not is_whole:
        return
    _warn_of_counted(given)
    _warn_of_matrix(given)
    _warn_of_two_ids(given)
    warn_of_groups(given)
    if given.rated:
        warn_of_parts(given)


def _warn_of_subtotals(given: Unread) -> None:
    """Warn about rows such as "Ward 1 Count" below the rows of "Ward 1", as Excel writes them."""
    for name in given.others:
        above, found, repeats = "", [], False
        for row, text in enumerate(given.fields[name]):
            is_next = bool(above) and above in text and text != above
            if is_next and total_of(text.replace(above, "", 1)) in TOTALS:
                if all(is_number(given.fields[rater][row]) for rater in given.rated):
                    found.append(row)
                continue
            # A column contains groups only if a value is repeated in adjacent rows.
            repeats |= bool(text) and text == above
            above = text or above
        if found and repeats:
            text = given.fields[name][found[0]]
            warn(
                f"column {name!r} contains subtotals such as {text!r}, first in row {found[0]}, and"
                " the numbers in these rows are counted as ratings: remove these rows."
            )
            return


def total_of(text: str) -> str:
    """Return a field as it is written in `TOTALS`."""
    return text.strip().rstrip(":").casefold()


def _warn_of_tests(given: Unread) -> None:
    """Warn about rows entered only to test a tool, or not submitted, as ids or states suggest."""
    for name in given.others:
        states = Counter(filter(STATE.fullmatch, given.fields[name]))
        if 0 < states.total() <= given.n_rows / 2:
            warn(
                f"column {name!r} contains {first_of_many([*map(repr, states)], 3)} in"
                f" {count_text(states.total(), 'row')}. If these ratings were not submitted, leave"
                " them out."
            )
            return
    for name in given.fields:
        ids = given.fields[name] if name not in given.rated and ID.search(name) else ()
        found = [*filter(TEST.fullmatch, ids)]
        others = [one for one in ids if not TEST.fullmatch(one)]
        # Require every other id to contain a digit, and none to match `SPLIT`. Otherwise, free text
        # such as "test" and the test items of a model would also be reported.
        are_ids = all(any(map(str.isdigit, one)) and not SPLIT.search(one) for one in others)
        if found and are_ids and len(found) <= MOST_TESTS * len(ids):
            warn(
                f"column {name!r} contains {first_of_many([*map(repr, dict.fromkeys(found))], 3)}."
                " If the rows with these values were entered only to test a tool or to train"
                " raters, remove them."
            )
            return


def _warn_of_weights(given: Unread) -> None:
    """Warn about sampling weights that are not used."""
    for name in filter(WEIGHT.fullmatch, given.others if len(given.rated) == 2 else ()):
        values = given.fields[name]
        if len({*values}) > 1 and all(is_number(x) and float(x) > 0 for x in values):
            warn(
                f"column {name!r} seems to contain sampling weights, but all items count equally."
                " If items were sampled with different probabilities, use"
                f" sample_weight={name!r}."
            )


def _warn_of_versions(given: Unread) -> bool:
    """Warn if a column numbers the versions of an item, and all of them are counted.

    If nearly all items have several rows, each could have been rated under several conditions.
    Return whether there is a warning.
    """
    for name in filter(VERSION.search, given.others if len(given.rated) > 1 else ()):
        if not all(map(is_number, given.fields[name])):
            continue
        for one in given.id_columns:
            versions: dict[str, list[float]] = {}
            for item, version in zip(given.fields[one], given.fields[name]):
                versions.setdefault(item, []).append(float(version))
            n = sum(len(own) > 1 for own in versions.values())
            first = min(map(min, versions.values()), default=0)
            if 0 < n <= MOST_CHANGED * len(versions) and all(
                sorted(own) == [first + i for i in range(len(own))] for own in versions.values()
            ):
                warn(
                    f"{n} of {len(versions)} values of {one!r} occur with several values of"
                    f" {name!r}, and each row is counted as an item. If the rows with the same"
                    f" {one!r} are versions of one item, keep only the row with the last {name!r}."
                )
                return True
    return False


def _warn_of_join(given: Unread) -> bool:
    """Warn if rows with the same id always have the same ratings, as after a join.

    Items in clusters, such as the lesions of a patient, have different ratings. A pair of ids, such
    as those of two documents, is the same item in either order. Return whether there is a warning.
    """
    if len(given.rated) < 2:
        return False
    items = [*zip(*(given.fields[name] for name in given.rated))]
    ids_of = {repr(name): given.fields[name] for name in given.id_columns}
    for one, other in pairwise(name for name in given.fields if name not in given.rated):
        columns = given.fields[one], given.fields[other]
        if have_same_labels(*columns):
            mirrored = [str(sorted(pair)) for pair in zip(*columns)]
            ids_of[f"{one!r} and {other!r} in either order"] = mirrored
    for name, ids in ids_of.items():
        of_id: dict[str, tuple[str, ...]] = {}
        if any(of_id.setdefault(one, item) != item for one, item in zip(ids, items)):
            continue
        again = [of_id[one] for one, n in Counter(ids).items() if n > 1]
        n_disputed = sum(len(set(item)) > 1 for item in again)
        if len(again) >= FEWEST_REPEATED and n_disputed >= LEAST_DISPUTED * len(again):
            warn(
                f"{len(again)} of {len(of_id)} values of {name} occur in several rows of"
                f" {given.source}, always with the same ratings. If the rows with the same {name}"
                " are the same item, for example after a join, the item is counted several times."
                f" Keep one row per {name}."
            )
            return True
    return False


def _warn_of_stacked(given: Unread) -> bool:
    """Warn if rows with the same id agree on some ratings, such as the truth, but not on others.

    The rows can be predictions of several models, or items in clusters. Each id must be repeated.
    Return whether there is a warning.
    """
    for name in given.id_columns if not given.keys else ():
        ids = given.fields[name]
        labels_of = {own: {*zip(ids, given.fields[own])} for own in given.rated}
        n_ids = len({*ids})
        same = [own for own, labels in labels_of.items() if len(labels) == n_ids]
        others = [own for own in given.rated if own not in same]
        if not same or not others or min(Counter(ids).values()) < 2:
            continue
        used = Counter(label for _, label in labels_of[same[0]])
        n_varied = sum(n > 1 for n in Counter(one for one, _ in labels_of[others[0]]).values())
        if n_varied >= max(FEWEST_REPEATED, LEAST_DISPUTED * n_ids) and n_ids >= max(
            FEWEST_COMBINED + max(used.values()), 2 * len(used)
        ):
            warn(
                f"all rows of {given.source} with the same {name!r} have the same {same[0]!r}, but"
                f" {n_varied} of {n_ids} values of {name!r} have several values of {others[0]!r}."
                " If these rows are ratings of one item by several models or raters, score each"
                f" model or rater separately, or keep one row per {name!r}. If each row is a"
                f" different item, pass {name!r} as clusters= of agreement."
            )
            return True
    return False


def _warn_of_part_of_key(given: Unread) -> bool:
    """Warn if a join on a part of the key combined the ratings of different items.

    For each id, every rating by one rater then occurs together with every rating by the other
    rater. Return whether there is a warning.
    """
    columns = [given.fields[name] for name in given.rated]
    for name in (*given.id_columns, *given.keys) if len(columns) == 2 else ():
        cells_of: dict[str, Counter[tuple[str, str]]] = {}
        for one, first, second in zip(given.fields.get(name, ()), *columns):
            cells_of.setdefault(one, Counter())[first, second] += 1
        n_varied = 0
        for cells in cells_of.values():
            rows, others = Counter[str](), Counter[str]()
            for (first, second), n in cells.items():
                rows[first] += n
                others[second] += n
            pairs = product(rows, others)
            if any(cells.total() * cells[x, y] != rows[x] * others[y] for x, y in pairs):
                break
            n_varied += min(len(rows), len(others)) > 1
        else:
            if n_varied >= FEWEST_COMBINED:
                warn(
                    f"within each {name!r}, every rating in {given.rated[0]!r} occurs with every"
                    f" rating in {given.rated[1]!r}. If two tables were joined by"
                    f" {name!r} alone, join them by all columns that identify an item."
                )
                return True
    return False


def _warn_of_repeated(given: Unread) -> bool:
    """Warn about repeated ids in an unread column, as after appending a later export.

    The ids must differ between all rows that are not repeated. Alternatively, the ids must differ
    within each of two parts of the source, if no other column distinguishes the parts. Return
    whether there is a warning.
    """
    n_distinct = len({*zip(*given.fields.values())})
    for name in given.others:
        ids = given.fields[name]
        place: dict[str, int] = {}
        again = [i for i, one in enumerate(ids) if place.setdefault(one, i) != i]
        if not FEWEST_IDS <= len(place) < len(ids):
            continue
        first, second = {*ids[: again[0]]}, {*ids[again[0] :]}
        are_parts = len(first) + len(second) == len(ids)
        is_shared = 2 * len(first & second) >= min(len(first), len(second))
        tells_apart = any(
            2 * len({*one}) < len(one) and {*one[: again[0]]}.isdisjoint(one[again[0] :])
            for one in given.fields.values()
        )
        if len(place) == n_distinct or (are_parts and is_shared and not tells_apart):
            warn(
                f"{count_text(len(again), 'row')} of {given.source} with the {name!r} of another"
                " row: each row is counted as an item of its own. If these rows are duplicates,"
                " remove them."
            )
            return True
    return False


def _warn_of_two_ids(given: Unread) -> None:
    """Warn if two columns contain the same ids in different rows, as in joined tables.

    Small numbers count as ids only if the names of the columns are those of ids and differ in the
    same way as the names of two columns of ratings.
    """
    names = [name for name in given.fields if name not in given.rated]
    ids = {name: own for name in names if _are_ids(own := given.fields[name], can_be_small=True)}
    for (one, first), (other, second) in combinations(ids.items(), 2):
        can_be_small = bool(ID.search(one) and ID.search(other)) and any(
            name_difference(*rated) == name_difference(one, other)
            for rated in combinations(given.rated, 2)
        )
        if found := displaced(first, second, can_be_small=can_be_small):
            n_shared, n_moved = found
            warn(
                f"columns {one!r} and {other!r} of {given.source} contain the same ids, but"
                f" {n_moved} of {n_shared} are in different rows: if two tables were pasted side by"
                " side, join them by id."
            )
            return


def displaced(
    first: Sequence[str], second: Sequence[str], *, can_be_small: bool = False
) -> tuple[int, int] | None:
    """Return how many values two columns share, and how many of these are in different rows.

    Return None if the columns are not columns of ids, share few values, or have them in the same
    rows.
    """
    if not all(_are_ids(values, can_be_small=can_be_small) for values in (first, second)):
        return None
    n_shared, n_in_place = len({*first} & {*second}), sum(map(eq, first, second))
    is_found = 2 * n_shared > len(first) and n_in_place < n_shared
    return (n_shared, n_shared - n_in_place) if is_found else None


def _are_ids(values: Sequence[str], *, can_be_small: bool = False) -> bool:
    """Return whether nearly all values differ and, unless ``can_be_small``, some are no positions.

    Small numbers can be positions of the items.
    """
    if not FEWEST_IDS <= len(values) <= len({*values}) / LEAST_DISTINCT:
        return False
    return can_be_small or not all(
        is_number(one) and float(one) <= 2 * len(values) for one in values
    )


def _warn_of_counted(given: Unread) -> None:
    """Warn if there is one line per pair of labels, with a column of counts that is not read.

    There can also be one line per pair and group, such as a site. If each pair of labels occurs
    exactly once, `judge_table` issues the warning.
    """
    fields, n_rows, rated = given.fields, given.n_rows, given.rated
    names = [name for name in given.others if name.strip().casefold() in COUNTS]
    if len(rated) != 2 or given.keys or len(names) != 1:
        return
    counts = fields[names[0]]
    if not counts or len(counts) != n_rows or not all(map(str.isdecimal, counts)):
        return
    groups = {
        name: column
        for name, column in fields.items()
        if name not in rated and not all(map(is_number, column))
    }
    keys = [*(fields[name] for name in rated), *groups.values()]
    n_labels = [len(set(column)) for column in keys]
    # A column is taken for item ids if its distinct values number more than half the rows.
    if 2 * max(n_labels) > n_rows or len(set(zip(*keys))) < n_rows:
        return
    in_order = [int(count) for count in counts] == list(range(1, n_rows + 1))
    are_judged = not groups and n_rows == n_labels[0] * n_labels[1] >= FEWEST_CELLS
    if not in_order and not are_judged:
        *first, last = map(repr, [*rated, *groups])
        warn(
            f"no two lines have the same values of {', '.join(first)} and {last}, as in a table of"
            f" counts. If column {names[0]!r} contains the number of items per line, use"
            f" sample_weight={names[0]!r}."
        )


def _warn_of_matrix(given: Unread) -> None:
    """Warn if the first column lists the names of the other columns, as in a confusion matrix."""
    first, *others = given.fields
    listed = [text.strip() for text in given.fields[first]]
    if given.n_rows > 1 and listed == [name.strip() for name in others]:
        warn(
            f"the first column of {given.source} contains the names of the other columns, as in a"
            " confusion matrix, but each line is read as an item. If the source is a confusion"
            " matrix, pass the counts to agreement_from_confusion."
        )

"""Use columns that are not read to detect groups of rows that should not be counted together.

The groups can be several questions, scales or documents, or use different codes for the labels. The
ratings of a group can be copies.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, combinations, permutations, product
from statistics import fmean
from typing import NamedTuple

from fastkappa.formatting import first_of_many
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.ratings.label_order import is_number
from fastkappa.sources.source_ratings import FALSE, TRUE

# Matches the name of a column of ids, such as "patient" or "itemID".
ID = re.compile(
    r"(^|[\W_])(?i:ids?|mrn|patient|record|case|subject|item|participant|accession"
    r"|(pat|patient|patienten|case|fall)[\W_]?(no|nr|nummer|number))([\W_]|$)"
    r"|[a-z]I[dD]([\W_]|$)"
)
# Matches the name of a column of places, such as hospitals, each of which can number its patients
# from 1. Restarting numbers alone do not identify such a column: in a column of visits, patients 1
# to n can be the same people at every visit.
PLACE = re.compile(
    r"(^|[\W_])(?i:sites?|cent(er|re|ro)s?|hospital|clinic|country|city"
    r"|standort|\w*(zentrum|klinik|krankenhaus)|praxis|stadt"
    r"|h[oô]pital|clinique|[eé]tablissement|ville|pays"
    r"|cl[ií]nica|ciudad|pa[ií]s|sede|ospedale|citt[aà]|paese"
    r"|ziekenhuis|kliniek|vestiging|stad)(I[dD])?([\W_]|$)"
)
# A warning about cluster numbers that restart at each place requires at least this many clusters
# per place.
FEWEST_OF_PLACE = 5
# A warning about several questions requires at most `MOST_QUESTIONS` questions, each with at least
# `FEWEST_ITEMS` items and `FEWEST_LABELS` labels.
MOST_QUESTIONS, FEWEST_ITEMS, FEWEST_LABELS = 20, 20, 2
# A warning about item numbers that restart in each document requires a kappa of at least `AGREED`
# within documents, and of at most `UNRELATED` across documents. At most `MOST_RATINGS` ratings per
# item are compared, and at least `FEWEST_PAIRS` pairs of ratings are required for each kappa.
MOST_RATINGS, FEWEST_PAIRS, AGREED, UNRELATED = 20, 200, 0.5, 0.1
# Matches the name of a column, such as "essay_set", that can divide the ratings into tests with
# different scales.
SCALED = re.compile(
    r"(?<![^\W\d_])(sets?|tasks?|prompts?|questions?|tests?|exams?|scales?|instruments?|rubrics?"
    r"|criteri(on|a)|traits?|dimensions?|domains?|measures?|assignments?|papers?)(?![^\W\d_])",
    re.IGNORECASE,
)
# A warning about different scales requires that the lower scale has at least `FEWEST_GRADES`
# labels. At least `FEWEST_AT_END` ratings on this scale, and at least the proportion
# `LEAST_AT_END`, must have its highest label. On the other scale, at least the proportion
# `LEAST_ABOVE` of the ratings must be higher than this label.
FEWEST_GRADES, FEWEST_AT_END, LEAST_AT_END, LEAST_ABOVE = 3, 5, 0.05, 0.75
# A warning about shifted codes requires at least `FEWEST_OF_CODE` ratings with each of the two sets
# of codes. The distance between the distributions of the two sets is the proportion of ratings that
# would have to change to make them equal. Undoing the shift must reduce this distance to at most
# `ALIKE`, and by at least `CLOSER`. Raters must agree on at least the proportion `LEAST_AGREED` of
# the items with a label at the end of a scale. At least the proportion `FEWEST_SHARED` of the codes
# must be in both sets.
FEWEST_OF_CODE, ALIKE, CLOSER, LEAST_AGREED, FEWEST_SHARED = 60, 0.15, 0.2, 0.25, 0.5

# The values of a column that says whether an item was used to train a model (`TRAINING`) or held
# out (`UNSEEN`).
TRAINING = re.compile("train(ing)?", re.IGNORECASE)
UNSEEN = re.compile("(val|valid(ation)?|dev(elopment)?|test(ing)?|hold-?out)", re.IGNORECASE)
# A warning about training requires that agreement is higher on the training items than on the other
# items, by at least the proportion `BETTER_TRAINED` and by at least `FAR_APART` standard errors.
BETTER_TRAINED, FAR_APART = 0.05, 4
# Matches the name of a column that marks test questions. Its values mean true or false.
GOLD = re.compile(
    r"(?i:[\W_]*((is[\W_]?)?(golden|gold[\W_]?(unit|question|item)|test[\W_]?question"
    r"|attention[\W_]?check)s?|is[\W_]?gold))"
)
MARKED, UNMARKED = {*TRUE, "yes"}, {*FALSE, "no", ""}
# A warning about test questions is also issued if they have at least `MORE` times as many ratings
# as the other items.
MORE = 2
# A warning about indicators requires at least `FEWEST_CATEGORIES` categories per item, and at least
# `FEWEST_CHOSEN` items.
FEWEST_CATEGORIES, FEWEST_CHOSEN = 3, 20

# The fields of each column, as strings in row order.
Fields = Mapping[str, Sequence[str]]


class Unread(NamedTuple):
    """All columns of a source: the columns of ratings, other columns that are read, and the rest.

    ``source`` is the name of the source in warnings. ``n_rows`` is the number of rows, including
    rows with too few or too many fields, which are not in ``fields``.
    """

    source: str
    fields: Fields
    rated: Sequence[str]
    keys: Sequence[str]
    n_rows: int

    @property
    def others(self) -> list[str]:
        """The columns that are not read."""
        return [name for name in self.fields if name not in (*self.rated, *self.keys)]

    @property
    def id_columns(self) -> list[str]:
        """The columns that are not read and probably contain ids."""
        first = next(iter(self.fields))
        return [name for name in self.others if name == first or ID.search(name)]


def warn_of_groups(given: Unread) -> None:
    """Warn if a column that is not read defines groups of rows that explain the ratings."""
    _warn_of_questions(given)
    _warn_of_shifted(given)
    _warn_of_gold(given)
    if len(given.rated) == 1 and len(given.keys) > 1:
        _warn_of_restarts(given)
    elif len(given.rated) > 1:
        _warn_of_places(given)
    if len(given.rated) == 2:
        _warn_of_training(given)
        _warn_of_indicators(given)


def _warn_of_questions(given: Unread) -> None:
    """Warn if a column divides the rows into parts that share no label or use different scales.

    In long form, the column must also divide the items, because a column derived from the ratings
    could also divide the rows.
    """
    rated = [given.fields[name] for name in given.rated]
    if not rated or any(2 * len(set(labels)) > len(labels) for labels in rated):
        return
    items = given.fields.get(next(iter(given.keys), ""), ()) if len(rated) == 1 else ()
    if len(rated) == 1 and len(set(items)) in (0, len(items)):
        return
    for name in given.others:
        parts = given.fields[name]
        of_items = {*zip(items, parts)}
        n_items = Counter(part for _, part in of_items) if items else Counter(parts)
        if (
            len(of_items) > len(set(items))
            or not 2 <= len(n_items) <= MOST_QUESTIONS
            or min(n_items.values()) < FEWEST_ITEMS
        ):
            continue
        of_each = [{(label, part) for label, part in zip(own, parts) if label} for own in rated]
        together = set(chain.from_iterable(of_each))
        n_labels = [Counter(part for _, part in own)[part] for own in of_each for part in n_items]
        is_split = len({label for label, _ in together}) == len(together)
        differ = "have no label in common" if is_split and min(n_labels) >= FEWEST_LABELS else None
        if SCALED.search(name) and _have_scales(_numbers_of(parts, rated)):
            differ = differ or "have numbers in different ranges"
        if differ:
            shown = first_of_many([*map(repr, dict.fromkeys(parts))], 3)
            warn(
                f"column {name!r} divides the rows into parts that {differ}: {shown}. If the"
                " parts are different questions, compute kappa for each of them, for example with"
                f" group={name!r}."
            )
            return


def _numbers_of(parts: Sequence[str], rated: Sequence[Sequence[str]]) -> dict[str, Counter[float]]:
    """Return how often each number occurs in each part, or {} if the labels are not numbers."""
    found: dict[str, Counter[float]] = {part: Counter() for part in parts}
    for own in rated:
        if not all(is_number(label) for label in own if label):
            return {}
        for part, label in zip(parts, own):
            if label:
                found[part][float(label)] += 1
    return found


def _have_scales(numbers: Mapping[str, Counter[float]]) -> bool:
    """Return whether most numbers of a part are higher than all numbers of another part.

    The highest number of the other part must be frequent, as at the end of a scale, and less than
    half of the highest number of the first part.
    """
    for low, high in permutations(numbers.values(), 2):
        top = max(low, default=0)
        n_above = sum(n for label, n in high.items() if label > top)
        if (
            len(low) >= FEWEST_GRADES
            and low[top] >= max(FEWEST_AT_END, LEAST_AT_END * low.total())
            and max(high, default=top) > 2 * top
            and 0 < LEAST_ABOVE * high.total() <= n_above
        ):
            return True
    return False


def _warn_of_shifted(given: Unread) -> None:
    """Warn if the ratings of some parts are shifted, such as 1 to 5 where others are 0 to 4.

    After the shift, all parts must have nearly the same distribution. Raters must agree on the ends
    of both scales. Otherwise, a column of true labels could cause a warning, because rating errors
    add labels to its parts.
    """
    rated = [given.fields[name] for name in given.rated]
    for name in [*given.others, *given.keys] if len(rated) > 1 else ():
        parts = given.fields.get(name, ())
        if not 2 <= len(set(parts)) <= MOST_QUESTIONS:
            continue
        numbers = {part: tuple(sorted(own)) for part, own in _numbers_of(parts, rated).items()}
        of_scale: dict[tuple[float, ...], list[list[float]]] = {own: [] for own in numbers.values()}
        for part, row in zip(parts, zip(*rated)) if len(of_scale) == 2 else ():
            if all(row):
                of_scale[numbers[part]].append([*map(float, row)])
        if not all(map(len, of_scale.values())) or len(of_scale) != 2:
            continue
        (low, rows), (high, others) = sorted(of_scale.items())
        step, n_shared = high[0] - low[0], len({*low} & {*high})
        # The ids of two groups, such as 1 to 50 and 51 to 100, also look shifted, but the groups
        # have no ids in common.
        if len(low) < FEWEST_GRADES or n_shared < FEWEST_SHARED * len(low):
            continue
        if tuple(x + step for x in low) != high:
            continue
        n, m = (Counter(chain.from_iterable(own)) for own in (rows, others))
        apart, moved = (
            sum(abs(n[x] / n.total() - m[x + by] / m.total()) for x in low) / 2 for by in (0, step)
        )
        are_agreed = all(
            own.count([end] * len(rated)) >= LEAST_AGREED * sum(end in row for row in own)
            for own, end in ((rows, low[-1]), (others, high[0]))
        )
        if (
            are_agreed
            and min(n.total(), m.total()) >= FEWEST_OF_CODE
            and moved <= min(ALIKE, apart - CLOSER)
        ):
            found = [repr(part) for part, own in numbers.items() if own == high]
            warn(
                f"the ratings range from {high[0]:g} to {high[-1]:g} where {name!r} is"
                f" {first_of_many(found, 3)}, but from {low[0]:g} to {low[-1]:g} elsewhere. If"
                " these are different codes for the same labels, use the same codes in all rows."
            )
            return


def _warn_of_restarts(given: Unread) -> None:
    """Warn if item numbers in long form seem to restart, for example in each document.

    Raters then agree on an item of the same document, but only by chance across documents. If a
    column is empty for most ratings, the other ratings were probably withdrawn.
    """
    item = given.keys[0]
    labels = given.fields[given.rated[0]]
    n = len(labels)
    by_chance = sum((k / n) ** 2 for k in Counter(labels).values())
    for name in given.others:
        rows_of: dict[str, list[tuple[str, str]]] = {}
        parts = given.fields[name]
        if not 2 <= len(set(parts)) <= n / 2:
            continue
        for one, part, label in zip(given.fields[item], parts, labels):
            rows_of.setdefault(one, []).append((part, label))
        # How many pairs of ratings have the same item, and how many of these pairs are equal. In
        # each list, the first number is for pairs from different parts, and the second for pairs
        # from one part.
        pairs, equal = [0, 0], [0, 0]
        for rows in rows_of.values():
            for (part, label), (other_part, other) in combinations(rows[:MOST_RATINGS], 2):
                pairs[part == other_part] += 1
                equal[part == other_part] += label == other
        if min(pairs) < FEWEST_PAIRS or by_chance == 1:
            continue
        across, within = ((k / m - by_chance) / (1 - by_chance) for k, m in zip(equal, pairs))
        if within >= AGREED and abs(across) <= UNRELATED:
            warn(
                f"ratings with a value in {name!r} agree with other ratings of the same {item!r}"
                " only by chance. If this value means that a rating was withdrawn, leave out these"
                " rows."
                if 2 * parts.count("") > n
                else f"the same {item!r} seems to refer to a different item in each {name!r}."
                f" Ratings with the same {item!r} agree if they also have the same {name!r}, but"
                f" otherwise agree only by chance. If {item!r} restarts for each {name!r}, make the"
                f" items unique, for example by adding {name!r} to {item!r}."
            )
            return


def _warn_of_places(given: Unread) -> None:
    """Warn if the numbers of clusters, such as patients, restart in each site or hospital.

    At each place, the numbers have no gaps, and the largest numbers differ between places. In
    contrast, clusters that were seen at several places, or at several sites of the body, have the
    same numbers everywhere, or gaps.
    """
    for key, name in product(filter(ID.search, given.keys), filter(PLACE.search, given.others)):
        numbers_of: dict[str, set[str]] = {}
        for place, number in zip(given.fields[name], given.fields[key]):
            numbers_of.setdefault(place, set()).add(number)
        sizes = {len(numbers) for numbers in numbers_of.values()}
        in_order = [str(1 + i) for i in range(max(sizes, default=0))]
        if min(sizes, default=0) < FEWEST_OF_PLACE or len(sizes) == 1:
            continue
        if all(numbers == {*in_order[: len(numbers)]} for numbers in numbers_of.values()):
            warn(
                f"{key!r} is numbered from 1 in each {name!r}, so rows with different values of"
                f" {name!r} are in the same cluster. If {key!r} restarts for each {name!r}, make"
                f" the clusters unique, for example by adding {name!r} to {key!r}."
            )
            return


class _Agreement(NamedTuple):
    """The agreement and the number of ratings per item, outside and inside a part."""

    agreed: Sequence[float]
    n_ratings: Sequence[float]
    is_better: bool


def _agreement_in(given: Unread, is_part: Sequence[bool]) -> _Agreement | None:
    """Compare the items outside and inside a part, or return None if either has no agreement."""
    items = given.fields[given.keys[0]] if len(given.rated) == 1 else range(len(is_part))
    labels_of: dict[tuple[object, bool], Counter[str]] = {}
    for item, is_in, *labels in zip(items, is_part, *(given.fields[name] for name in given.rated)):
        labels_of.setdefault((item, is_in), Counter()).update(filter(None, labels))
    sizes: list[list[int]] = [[], []]
    same: list[list[float]] = [[], []]
    for (_, is_in), own in labels_of.items():
        if (m := own.total()) > 1:
            sizes[is_in].append(m)
            same[is_in].append(sum(k * (k - 1) for k in own.values()) / (m * (m - 1)))
    if not all(same):
        return None
    agreed, mean = [*map(fmean, same)], fmean(chain(*same))
    error = math.sqrt(mean * (1 - mean) * sum(1 / len(own) for own in same))
    is_better = agreed[1] - agreed[0] >= max(BETTER_TRAINED, FAR_APART * error)
    return _Agreement(agreed, [*map(fmean, sizes)], is_better)


def _warn_of_gold(given: Unread) -> None:
    """Warn about test questions that have more agreement or more ratings than other items."""
    for name in filter(GOLD.fullmatch, given.others if given.keys or len(given.rated) > 1 else ()):
        marks = [text.strip().casefold() for text in given.fields[name]]
        are_gold = [text in MARKED for text in marks]
        found = _agreement_in(given, are_gold) if {*marks} <= MARKED | UNMARKED else None
        if found is not None and (
            found.is_better or found.n_ratings[1] >= MORE * found.n_ratings[0]
        ):
            (others, gold), (few, many) = found.agreed, found.n_ratings
            warn(
                f"column {name!r} seems to mark test questions. They have {gold:.0%} agreement and"
                f" {many:.3g} ratings per item; the other items have {others:.0%} agreement and"
                f" {few:.3g} ratings. If raters were tested with known answers, leave out the test"
                " questions."
            )
            return


def _warn_of_training(given: Unread) -> None:
    """Warn if predictions agree with the truth better on training items than on other items."""
    for name in given.others:
        parts = given.fields[name]
        kinds = {part for part in parts if TRAINING.fullmatch(part)}
        if len(kinds) != 1 or not all(part in kinds or UNSEEN.fullmatch(part) for part in parts):
            continue
        found = _agreement_in(given, [part in kinds for part in parts])
        if found is not None and found.is_better:
            unseen, trained = found.agreed
            warn(
                f"{given.rated[0]} and {given.rated[1]} agree on {trained:.0%} of the items whose"
                f" {name!r} is {min(kinds)!r}, but on {unseen:.0%} of the others. Compute a"
                f" separate kappa for each {name!r}, for example with group={name!r}."
            )
            return


def _warn_of_indicators(given: Unread) -> None:
    """Warn if each row is a category of an item, and 1 marks the category that was chosen."""
    columns = [given.fields[name] for name in given.rated]
    if any({*own} != {"0", "1"} for own in columns):
        return
    for name in (*given.others, *given.keys):
        n_rows = Counter(given.fields.get(name, ()))
        sizes = {*n_rows.values()}
        if len(sizes) != 1 or min(sizes) < FEWEST_CATEGORIES or len(n_rows) < FEWEST_CHOSEN:
            continue
        ones = [
            Counter(one for one, x in zip(given.fields[name], own) if x == "1") for own in columns
        ]
        if all(len(chosen) == len(n_rows) == chosen.total() for chosen in ones):
            warn(
                f"for each {name!r}, exactly one of {min(sizes)} ratings in {given.rated[0]!r} is"
                f" 1, and exactly one in {given.rated[1]!r}. If each row is a category of an item,"
                f" use one row per {name!r} with the chosen category."
            )
            return

"""Detect, from a table, that two raters name or number the same labels differently.

For example, one rater writes "stage 2" and the other "Stage2", one counts from 0 and the other from
1, 1 is the best grade for one and the worst for the other, or a model's classes are named in
another order. Recoding then increases the agreement. A rater can also use a second spelling of a
label now and then, such as "mil" for "mild".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.formatting import first_of_many, number_text
from fastkappa.ratings.doubtful_labels import SOME_ITEMS, warn
from fastkappa.ratings.label_order import is_alphabetical
from fastkappa.ratings.looks import alike_among

# The smallest kappa after recoding, and the smallest gain over kappa before recoding.
NEAR, BETTER = 0.6, 0.5
# Without any agreement, ``n * kappa**2`` reaches 10 about once in 600 tables.
EVIDENCE = 10.0
LEAST_LAMBDA = 0.25
# The least average number of items per label for which exchanged labels are considered.
LEAST_REPEATS = 5
# The smallest number of items with either name of a label, and the smallest number with both names.
OFTEN, TOGETHER = 2, 3
# If there are more labels than this, they are usually ids or measurements.
MOST_LABELS = 100
MOST_SHOWN = 5
# The minimum length and similarity of two words that differ only by a typing error.
LEAST_WORD, SIMILAR = 5, 0.8
REMEDY = "Number the labels the same way if both raters use the same scale."


def may_be_coded_apart(labels: Sequence[Any] | AnyArray, table: AnyArray) -> bool:
    """Return whether a table needs a closer look, in less than a microsecond.

    A closer look is needed if raters never agree on at least two labels (one label if labels are
    words), as after a shift; if the two corners off the diagonal contain at least twice as many
    items as the corners on the diagonal, as after a reversal; or if the largest cell is off the
    diagonal, as after a permutation.
    """
    # For few labels, counting in a list is faster than counting in a NumPy array.
    agreed = table.diagonal().tolist()
    n_without = agreed.count(0)
    if n_without > 1 or (n_without and isinstance(labels[0], str)):
        return True
    last = len(agreed) - 1
    opposite = table.item(last) + table.item(last * (last + 1))
    if opposite > 1 and opposite >= 2 * (agreed[0] + agreed[last]):
        return True
    return bool(table.argmax() % (last + 2))


def judge_pairs(
    codes: AnyArray, labels: AnyArray, names: Sequence[str], *, are_given: bool
) -> bool:
    """Warn about the first two raters who code labels differently, and return whether any do.

    ``codes`` has one row per rater and one column per item. Each code is the position of the label,
    or the number of labels if the rating is missing.
    """
    side = len(labels) + 1
    if side > MOST_LABELS:
        return False
    codes = codes[:, :SOME_ITEMS].astype(np.intp)
    for (a, first), (b, second) in combinations(zip(names, codes), 2):
        table = np.bincount(first * side + second, minlength=side * side).reshape(side, side)
        table = table[:-1, :-1]
        if may_be_coded_apart(labels, table) and warn_of_two_codings(
            labels, table, (a, b), are_given=are_given
        ):
            return True
    return False


def warn_of_two_codings(
    labels: Sequence[Any] | AnyArray, table: AnyArray, names: Sequence[str], *, are_given: bool
) -> bool:
    """Warn if two raters seem to name or number labels differently, and return whether they do.

    Labels given by the user are never treated as two names of one label.
    """
    if len(labels) > MOST_LABELS:
        return False
    found, array = None, np.asarray(labels)
    # If raters agree on most items, renumbering the labels cannot improve agreement.
    may_be_renamed = 2 * table.trace() < table.sum() and _is_predicted(table)
    if is_alphabetical(array):
        if not are_given:
            found = _two_names(array, table, names) or _second_spellings(array, table, names)
    elif may_be_renamed and array.dtype.kind in "iufbUTO":
        found = _two_numberings(array.astype(float), table, names)
    if found is None and may_be_renamed:
        found = _permuted(array, table, names)
    if found:
        warn(found)
    return found is not None


def _is_predicted(table: AnyArray) -> bool:
    """Return whether one rater's label predicts the other's, by Goodman–Kruskal's lambda.

    Unrelated labels do not predict each other, so most tables require no closer look.
    """
    most = table.sum(axis=0).max()
    return bool(table.max(axis=1).sum() - most > LEAST_LAMBDA * (table.sum() - most))


def _two_names(labels: AnyArray, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about labels of one rater that coincide with labels of the other.

    Labels that look alike are skipped, because another warning covers them.
    """
    labels = labels.astype(object)
    n, of_rows, of_columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    rows = np.flatnonzero((of_rows >= OFTEN) & (of_columns == 0))
    columns = np.flatnonzero((of_columns >= OFTEN) & (of_rows == 0))
    if not len(rows) or not len(columns):
        return None
    met = table[np.ix_(rows, columns)].astype(float)
    first, second = of_rows[rows, None].astype(float), of_columns[columns].astype(float)
    by_chance = first * second / n
    # The kappa between two labels, each against all other labels, is 1 if the two labels always
    # coincide.
    most = (first + second) / 2 - by_chance
    kappa = np.divide(met - by_chance, most, out=np.zeros_like(met), where=most > 0)
    places = [
        (i, j)
        for i, j in np.argwhere((met >= OFTEN) & (kappa >= NEAR)).tolist()
        if not alike_among([str(labels[rows[i]]), str(labels[columns[j]])])
    ]
    if sum(met[i, j] for i, j in places) < TOGETHER:
        return None
    a, b = names
    pairs = [
        f"{labels[rows[i]]!r} of {a} with {labels[columns[j]]!r} of {b} ({number_text(met[i, j])}"
        " items)"
        for i, j in places
    ]
    return (
        f"{a} and {b} each have labels that the other does not have, and these nearly always"
        f" coincide: {first_of_many(pairs, MOST_SHOWN, '; ')}. Write them alike if they are one"
        " label; they are counted as disagreement."
    )


def _second_spellings(labels: AnyArray, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about labels that only one rater used and that resemble other labels.

    The warning covers labels that are abbreviations, contain a typing error, or share a prefix,
    such as "Answer: A" and "Answer: B". Labels that look alike are covered by another warning.
    """
    met = []
    for counts, (own, other) in ((table, names), (table.T, names[::-1])):
        n_own, n_other = counts.sum(axis=1), counts.sum(axis=0)
        for i in np.flatnonzero((n_own >= OFTEN) & (n_other == 0)).tolist():
            j = int(counts[i].argmax())
            label, meant = str(labels[i]), str(labels[j])
            if meant and counts[i, j] >= NEAR * n_own[i]:
                text = f"{label!r} of {own} with {meant!r} of {other}"
                met.append((label, meant, text, float(counts[i, j])))
    prefixes = Counter(_prefix(label, meant) for label, meant, _, _ in met)
    del prefixes[""]
    found = {
        text: n
        for label, meant, text, n in met
        if (_is_respelt(label, meant) or prefixes[_prefix(label, meant)] > 1)
        and not alike_among([label, meant])
    }
    if sum(found.values()) < TOGETHER:
        return None
    return (
        "labels that only one rater uses nearly always coincide with a label that is written"
        f" similarly: {first_of_many(list(found), MOST_SHOWN, '; ')}. Write them alike if they are"
        " one label; they are counted as disagreement."
    )


def _is_respelt(label: str, meant: str) -> bool:
    """Return whether a word is the beginning of another, or differs in a few letters or accents.

    Words in capitals are codes, and one code can begin with another, such as "NNPS" with "NNP".
    """
    short, long = sorted((_letters(label.rstrip(".")), _letters(meant)), key=len)
    if not (short.isalpha() and long.isalpha()) or (meant.isupper() and len(meant) > 1):
        return False
    # Short words, such as "nn" and "nns", are also codes.
    if long.startswith(short) and (len(long) > 3 or len(long) > len(short) + 1):
        return True
    if len(short) < LEAST_WORD or short[0] != long[0]:
        return False
    from difflib import SequenceMatcher

    return SequenceMatcher(None, short, long).ratio() >= SIMILAR


def _prefix(label: str, meant: str) -> str:
    """Return the text before a label within another label, or "" if that text is only a word.

    A word before a label makes another label, such as "very likely".
    """
    before, found, _ = label.partition(meant)
    return before if found and not before.strip().isalpha() else ""


def _letters(text: str) -> str:
    """Return a text in lower case and without accents."""
    import unicodedata

    return unicodedata.normalize("NFD", text.casefold()).encode("ascii", "ignore").decode()


def _two_numberings(values: Floats, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about numbers that one rater shifts or reverses."""
    a, b = names
    step = _most_frequent(values - values[:, None], table)
    rows, columns = (values[table.any(axis=axis)] for axis in (1, 0))
    # The ratings of a rater who merely rates one step higher stay within the scale.
    ends = {columns.min() - rows.min(), columns.max() - rows.max()}
    if step and ends == {step} and (better := _better(values, values - step, table)):
        how = f"{b} seems to number the labels {'higher' if step > 0 else 'lower'} than {a} by"
        return f"{how} {abs(step):g}: {better} without that difference. {REMEDY}"
    total = _most_frequent(values + values[:, None], table)
    if better := _better(values, total - values, table):
        how = f"{a} and {b} seem to number the labels in opposite directions"
        return f"{how}: {better} with those of {b} reversed. {REMEDY}"
    return None


def _permuted(labels: AnyArray, table: AnyArray, names: Sequence[str]) -> str | None:
    """Return the warning about raters who use the same labels for different categories."""
    used = np.flatnonzero(table.any(axis=0) | table.any(axis=1))
    counts = table[np.ix_(used, used)]
    # With fewer items, labels can agree by chance after an exchange.
    if counts.sum() < LEAST_REPEATS * len(used):
        return None
    columns = _partners(counts)
    places = np.arange(len(used)).astype(float)
    given, better = (_kappa(places, places, own, 0) for own in (counts, counts[:, columns]))
    if better < max(NEAR, given + BETTER) or counts.sum() * better**2 < 2 * EVIDENCE:
        return None
    # A rater who rates one step higher never uses the lowest label.
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
        f" {better:.2f} with these labels exchanged. Check which label each number or name stands"
        " for, as with a model's classes or numbers of clusters."
    )


def _partners(table: AnyArray) -> NDArray[np.intp]:
    """Match each row with a column, starting with the largest cells."""
    rest = table.astype(float)
    columns = np.zeros(len(rest), np.intp)
    for _ in columns:
        row, column = np.unravel_index(rest.argmax(), rest.shape)
        columns[row] = column
        rest[row] = rest[:, column] = -1
    return columns


def _most_frequent(keys: Floats, table: AnyArray) -> float:
    """Return the key with the most items. ``keys`` has one entry per cell."""
    distinct, places = np.unique(keys, return_inverse=True)
    n = np.bincount(places.ravel(), weights=table.ravel())
    return float(distinct[n.argmax()])


def _better(rows: Floats, recoded: Floats, table: AnyArray) -> str | None:
    """Describe the first kappa that is much better with recoded columns, or return None."""
    for power, kind in enumerate(("unweighted kappa", "linear kappa", "quadratic kappa")):
        given, better = (_kappa(rows, columns, table, power) for columns in (rows, recoded))
        if better >= max(NEAR, given + BETTER) and table.sum() * better**2 >= EVIDENCE:
            return f"{kind} is {given:.2f}, and would be {better:.2f}"
    return None


def _kappa(rows: Floats, columns: Floats, table: AnyArray, power: int) -> float:
    """Return the kappa of a table with the given numbers as labels of rows and columns."""
    apart = np.abs(rows[:, None] - columns)
    weights = apart**power if power else (apart > 0).astype(float)
    by_chance = table.sum(axis=1) @ weights @ table.sum(axis=0)
    observed = (weights * table).sum() * float(table.sum())
    return 1 - float(observed / by_chance) if by_chance else 0.0

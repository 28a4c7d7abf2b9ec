"""Determine the order of labels, which is declared by the ratings or derived from the labels.

An ordered categorical, a polars Enum, an ordered Arrow dictionary or a Python enum declares an
order. Without a declared order, labels are sorted. Strings are sorted by value if all are numbers,
and otherwise alphabetically, which is rarely the intended order.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.choices import did_you_mean, n_edits
from fastkappa.exceptions import LabelOrderWarning
from fastkappa.formatting import printable

NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")
# Matches the reason for a warning if the reason begins with the weights, as in weights='linear' or
# --weights linear.
NAMED_WEIGHTS = re.compile(r"(--)?weights[ =]")
DIGITS = re.compile("[0-9]+")
# The maximum number of labels shown in a message.
MOST_SHOWN = 20
# Labels that differ by more edits than this probably have different meanings, as "compliment" and
# "complaint" do.
MOST_EDITS = 2
# With fewer entries than this, all clusters can have one item by chance.
FEWEST_DIFFERENT = 20
# The number of entries checked first, which is large enough that the same cluster usually occurs
# twice among them.
SAMPLE = 1 << 10
REMEDY = (
    "Pass labels= in the intended order, or ratings that declare it, such as an ordered"
    " categorical."
)

SAME_CATEGORIES = "Give both the same categories, or pass labels=."
WHICH_ARE_MEANT = "Pass labels= to use other labels."


class LabelOrder(NamedTuple):
    """Labels in their declared order, and the names by which they are reported."""

    labels: AnyArray
    names: AnyArray


def common_order(
    orders: Mapping[str, LabelOrder | None], remedy: str = SAME_CATEGORIES
) -> LabelOrder | None:
    """Return the order that columns declare, or None if no column declares one.

    ``orders`` maps the name of each column, as shown in errors, to the order that it declares.

    Raises
    ------
    ValueError
        If two columns declare different orders.
    """
    declared = {name: order for name, order in orders.items() if order is not None}
    if not declared:
        return None
    (name, order), *others = declared.items()
    for other_name, other in others:
        if order.labels.tolist() != other.labels.tolist() or _are_named_otherwise(order, other):
            raise ValueError(
                f"{name} and {other_name} declare their labels in different orders:"
                f" {_shown_in_full(order)} and {_shown_in_full(other)}. {remedy}"
            )
    return order


def not_declared(
    name: str, label: str, names: AnyArray | Sequence[Any], remedy: str = WHICH_ARE_MEANT
) -> ValueError:
    """Return the error for a column's label that is not among the declared ``names``."""
    return ValueError(
        f"{name} contains {label}, which is not among the declared labels: {shown(names)}. {remedy}"
    )


def nearest_label(label: str, labels: Iterable[Any]) -> str:
    """Return a sentence that suggests the nearest label, or "" if none is within a few edits.

    ``label`` is written as in a message, with quotes around a string. Numbers get no suggestion.
    """
    text = label[1:-1]
    if not label.startswith(("'", '"')) or is_number(text):
        return ""
    words = [one for one in labels if isinstance(one, str)]
    near = [one for one in words if n_edits(text.casefold(), one.casefold()) <= MOST_EDITS]
    return did_you_mean(text, near)


def not_a_label(name: str, label: str, labels: Iterable[Any] = ()) -> ValueError:
    """Return the error for a rater's rating that is not one of the labels."""
    return ValueError(
        f"{name} contains {label}, which is not one of the labels. If it stands for a missing"
        f" rating, name it in missing_codes.{nearest_label(label, labels)}"
    )


def _are_named_otherwise(order: LabelOrder, other: LabelOrder) -> bool:
    """Return whether two enums have the same values under different names."""
    named = all(each.names is not each.labels for each in (order, other))
    return named and order.names.tolist() != other.names.tolist()


def _shown_in_full(order: LabelOrder) -> str:
    """Return the names of labels in order, each with its value if the two differ."""
    if order.names is order.labels:
        return shown(order.names)
    values = zip(order.names.tolist(), order.labels.tolist())
    return shown(np.array([f"{name} ({value!r})" for name, value in values]))


def sorted_strings(strings: Iterable[str]) -> list[str]:
    """Return distinct strings, sorted by value if all are numbers, otherwise alphabetically.

    Examples
    --------
    >>> from fastkappa.ratings.label_order import sorted_strings
    >>> sorted_strings({"9", "10", "1"}), sorted_strings({"9", "10", "x"})
    (['1', '9', '10'], ['10', '9', 'x'])
    """
    alphabetical = sorted(strings)
    if all(map(is_number, alphabetical)):
        return sorted(alphabetical, key=float)
    return alphabetical


def sorted_names(names: Iterable[str]) -> list[str]:
    """Return distinct names of raters or groups, with numbers in the names sorted by value.

    Examples
    --------
    >>> from fastkappa.ratings.label_order import sorted_names
    >>> sorted_names({"v10", "v2", "v1"})
    ['v1', 'v2', 'v10']
    """
    found = sorted_strings(names)
    return found if all(map(is_number, found)) else sorted(found, key=_texts_and_numbers)


def _texts_and_numbers(name: str) -> list[Any]:
    """Split a name into texts and numbers, each number as a sortable pair of length and digits."""
    texts, numbers = DIGITS.split(name), [n.lstrip("0") for n in DIGITS.findall(name)]
    return [*chain.from_iterable(zip(texts, ((len(n), n) for n in numbers))), texts[-1]]


def numbers_in_order(values: AnyArray, categories: Sequence[Any] | None = None) -> NDArray[np.intp]:
    """Return the number of each entry's cluster, with the sorted clusters numbered from 0.

    With ``categories``, the values are codes, as in a column. The numbers depend neither on the
    order of the rows nor on the form of the column: clusters can be integers, the same integers as
    strings, or categories in any order.
    """
    if categories is not None:
        # A dictionary-encoded column can contain the same category twice.
        distinct = set(categories)
        are_strings = all(isinstance(entry, str) for entry in distinct)
        order = sorted_strings(distinct) if are_strings else sorted(distinct)
        number = {entry: i for i, entry in enumerate(order)}
        values = np.array([number[entry] for entry in categories]).take(values)
    return np.unique(values, return_inverse=True)[1]


def are_different(values: AnyArray, categories: Sequence[Any] | None) -> bool:
    """Return whether a column's entries, at least `FEWEST_DIFFERENT`, are all different."""
    n = len(values)
    if n < FEWEST_DIFFERENT or (categories is not None and len(set(categories)) < n):
        return False
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) + 1 < n:
        return False
    # The values are sorted rather than passed to np.unique, which hashes integers and takes much
    # longer.
    ordered = (np.sort(some) for some in (values[:SAMPLE], values))
    return not any((some[1:] == some[:-1]).any() for some in ordered)


def is_number(string: str) -> bool:
    """Return whether a string is a finite decimal number."""
    return bool(NUMBER.fullmatch(string)) and math.isfinite(float(string))


def have_equal_numbers(labels: Collection[Any]) -> bool:
    """Return whether any two labels spell the same number, such as "250.1" and "250.10".

    Such labels are probably codes, so the ratings must also be read as strings.
    """
    numbers = {label for label in labels if isinstance(label, str) and is_number(label)}
    return len(set(map(float, numbers))) < len(numbers)


def is_order_of_table_known(table: Any, labels: Any, names: AnyArray) -> bool:
    """Return whether the user chose the order of ``names``, the labels of a table.

    If the columns of a data frame are sorted alphabetically and are not an ordered categorical,
    `pandas.crosstab` has probably sorted them.
    """
    declared = getattr(getattr(getattr(table, "columns", None), "dtype", None), "ordered", False)
    given = [str(name) for name in names]
    return labels is not None or bool(declared) or given != sorted(given)


def is_alphabetical(labels: AnyArray) -> bool:
    """Return whether sorted labels are strings in alphabetical order, not in order of value."""
    strings = labels.tolist() if labels.dtype.kind in "UTO" else []
    return len(strings) > 0 and not all(isinstance(s, str) and is_number(s) for s in strings)


def order_warning(
    labels: AnyArray,
    why: str,
    remedy: str = REMEDY,
    *,
    fewest: int = 3,
    is_known: bool = False,
    of: str = "",
) -> str | None:
    """Return a warning if ``why`` depends on an order of labels that is probably wrong, or None.

    ``why`` is the part of the result that depends on the order. With fewer than ``fewest`` labels,
    there is no warning, because two labels have the same distance in either order. Named weights
    count each step as 1, so numeric labels with uneven spacing also cause a warning. In this
    warning, the text ``of`` follows the labels. If the order ``is_known``, because it was given or
    declared, only numbers that neither ascend nor descend cause a warning.
    """
    if len(labels) < fewest:
        return None
    if is_alphabetical(labels):
        assumed = f"the order of the labels, which was assumed to be alphabetical: {shown(labels)}"
        return None if is_known else f"{why} depends on {assumed}. {remedy}"
    if not NAMED_WEIGHTS.match(why) or labels.dtype.kind not in "iufUTO":
        return None
    counted = f"each step from one label to the next counts as 1 ({why}), but the labels"
    numbers = labels if labels.dtype.kind in "iuf" else labels.astype(np.float64)
    if is_known:
        is_higher = numbers[1:] > numbers[:-1]
        if is_higher.all() or not is_higher.any():
            return None
        return (
            f"{counted} {shown(labels)} are numbers in neither ascending nor descending order. Pass"
            " labels= in order, or a matrix of weights if this order is intended."
        )
    steps = np.diff(numbers)
    # On a fine scale, some numbers can remain unused by chance.
    if len(labels) > MOST_SHOWN or (steps == steps[0]).all():
        return None
    # A number outside an equally spaced scale can be a special code (for a missing rating, say), as
    # 6 can when the scale is 0 to 4.
    ends = [
        numbers[place]
        for place, others in ((0, steps[1:]), (-1, steps[:-1]))
        if len(others) > 1 and (others == others[0]).all()
    ]
    code = f", or missing_codes= if {ends[0]:g} stands for a missing rating" if ends else ""
    return (
        f"{counted} {shown(labels)}{of} are not equally spaced. Pass labels= with all labels of the"
        f" scale, or a matrix of weights{code}."
    )


def warn_of_order(
    labels: AnyArray, why: str, stacklevel: int, *, is_known: bool = False, **options: Any
) -> None:
    """Warn if a result depends on an order of labels that is probably wrong; see `order_warning`.

    ``why`` is the part of the result that depends on the order, such as ``weights='quadratic'``.
    """
    warning = order_warning(labels, why, is_known=is_known, **options)
    if warning is not None:
        warnings.warn(warning, LabelOrderWarning, stacklevel + 1)


def shown(labels: AnyArray | Sequence[Any]) -> str:
    """Return labels, in order, as text for a message."""
    listed = np.asarray(labels[:MOST_SHOWN], object).tolist()
    some = [printable(int(x) if isinstance(x, float) and x.is_integer() else x) for x in listed]
    more = ["..."] if len(labels) > MOST_SHOWN else []
    return " < ".join([*some, *more])

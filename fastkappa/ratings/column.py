"""Check a user's arrays of ratings, and convert them to columns.

Integer ratings are not copied. Strings are hashed into codes. Categoricals, Arrow dictionaries and
enums have their own codes and can declare an order. Input that scikit-learn accepts is accepted,
and errors have the same messages, so that code written for scikit-learn works unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import CHUNK, AnyArray, first_of, is_masked_array
from fastkappa.ratings.enums import codes_of_enum
from fastkappa.ratings.interop import PLAIN, codes_of_foreign, to_numpy
from fastkappa.ratings.label_order import LabelOrder, is_number
from fastkappa.ratings.labels import (
    as_decimals,
    codes_of_fixed_width,
    codes_of_objects,
    common_unit,
    first_rounded,
    in_unit,
    refuse_rounded_list,
    rounded_label,
    strings_array,
)
from fastkappa.ratings.lengths import CONTINUOUS, check_read, not_labels, refusal
from fastkappa.ratings.missing import DROP, is_missing, refuse_missing

# The group of each NumPy dtype kind. Only labels in the same group can be equal.
KINDS = {kind: kinds for kinds in ("biuf", "OUT", "M", "m") for kind in kinds}
# The name of each kind in messages.
HELD = {
    **dict.fromkeys("iuf", "integers"),
    **dict.fromkeys("OUT", "strings"),
    "b": "booleans",
    "M": "dates",
    "m": "durations",
}


class Column(NamedTuple):
    """One rater's ratings, ready to be counted.

    ``values`` is one-dimensional and contains integers, or floats that are all whole. Without
    ``categories``, the values are the labels themselves, of dtype ``label_dtype``. With
    ``categories``, they are codes, and ``categories[i]`` is the label of code i.

    If the ratings are not class labels, ``obstacle`` is scikit-learn's name for their type.
    ``declared`` is the label order, if the ratings declare one. If each value can represent several
    ratings, ``counts`` is the number of ratings per value. ``title`` is the column's own name, as
    in a pandas Series.
    """

    values: AnyArray
    label_dtype: np.dtype[Any]
    categories: list[Any] | None = None
    obstacle: str | None = None
    declared: LabelOrder | None = None
    counts: AnyArray | None = None
    title: Any = None


def read_column(ratings: Any, name: str) -> Column:
    """Return the ratings of one rater as a column. ``name`` is the argument's name in errors.

    If a column contains both numbers and strings, the numbers become strings, as in NumPy.
    """
    try:
        if type(ratings) is np.ndarray and ratings.dtype.kind in "iubf":
            return _read_array(ratings, name)
        column = _read_ordered(ratings, name)
    except Exception as error:
        if type(error).__module__.partition(".")[0] in ("polars", "pyarrow"):
            raise ValueError(f"{name} cannot be read: {error}") from error
        own = refusal(ratings, name) if isinstance(error, (ValueError, TypeError)) else None
        if own is None:
            raise
        raise own from None
    if type(ratings) not in PLAIN:
        check_read(column.values, ratings, name)
    for label in column.categories or ():
        if label.endswith("\0"):
            raise ValueError(
                f"{name} contains {label!r}, which ends in a NUL character. NumPy strings drop"
                " trailing NULs, so two labels could become equal: remove or replace the NUL."
            )
    return column


def _read_ordered(ratings: Any, name: str) -> Column:
    """Return the ratings of one rater, with the order that they declare."""
    members = codes_of_enum(ratings, name)
    if members is not None:
        codes, order = members
        return _of_categories(codes, order.labels, name)._replace(declared=order)
    try:
        column = _read(ratings, name)
    except ValueError:
        listed = _read_objects(ratings, name)
        if listed is None:
            raise
        return listed
    if column.obstacle == "unknown":
        return _read_objects(ratings, name) or column
    return column


def read_column_as_sklearn(ratings: Any, name: str) -> Column:
    """Return the ratings as scikit-learn reads them, ignoring declared orders and enums."""
    if type(ratings) is np.ndarray:
        return _read_array(ratings, name)
    column = _read(ratings, name)._replace(declared=None)
    if type(ratings) not in PLAIN:
        check_read(column.values, ratings, name)
    is_list = isinstance(ratings, (list, tuple)) or str(getattr(ratings, "dtype", "")) == "String"
    if column.categories and is_list:
        # Trailing NULs are removed, as in scikit-learn, which converts lists and polars strings to
        # NumPy strings.
        return column._replace(categories=[label.rstrip("\0") for label in column.categories])
    return column


def _read(ratings: Any, name: str) -> Column:
    if type(ratings) is np.ndarray:
        return _read_array(ratings, name)
    strings = _strings_of_sequence(ratings)
    if strings is not None:
        return strings
    coded = codes_of_foreign(ratings, name)
    if coded is None:
        array = to_numpy(ratings)
        if array.dtype.kind == "f":
            refuse_rounded_list(ratings, array, name)
        return _read_array(array, name)
    codes, categories, is_ordered = coded
    labels = np.asarray(categories)
    if labels.dtype.kind == "U":
        labels = strings_array(list(categories))
    column = _of_categories(codes, labels, name)
    if not is_ordered:
        return column
    declared = labels if column.categories is None else np.array(column.categories)
    return column._replace(declared=LabelOrder(declared, declared))


def _of_categories(codes: AnyArray, labels: AnyArray, name: str) -> Column:
    """Return a column made from codes and from the label of each code."""
    if labels.dtype.kind not in "OUT":
        # Numbers and dates in a categorical follow the same rules as in other columns.
        return _read_array(labels.take(codes), name)
    labels = labels.astype(object)
    problem = _problem_of_objects(labels, name)
    if problem is not None:
        return Column(codes, labels.dtype, obstacle=problem)
    return Column(codes, labels.dtype, _checked_strings(labels.tolist(), name))


def by_value(column: Column) -> Column:
    """Convert a column of real numbers to codes, with one category per distinct number."""
    values, codes = np.unique(column.values, return_inverse=True)
    return Column(codes, np.dtype(np.float64), as_decimals(values).astype(np.float64).tolist())


def refuse_obstacles(columns: Mapping[str, Column]) -> None:
    """Raise an error for the first column whose ratings are not labels."""
    for name, column in columns.items():
        if column.obstacle:
            remedy = CONTINUOUS if column.obstacle == "continuous" else ""
            raise ValueError(not_labels(name, column.obstacle, column.values) + remedy)


def explain(columns: Mapping[str, Any], cause: ValueError, missing_remedy: str = DROP) -> None:
    """Raise an error for the first column in which a rating is missing or is not a label.

    The function is called only for rejected ratings, so it can afford another pass over them.
    """
    refuse_missing(columns, cause, remedy=missing_remedy)
    for name, column in columns.items():
        obstacle = read_column(column, name).obstacle
        if obstacle:
            remedy = CONTINUOUS if obstacle == "continuous" else ""
            raise ValueError(not_labels(name, obstacle, column) + remedy) from cause


def refuse_rounded_labels(columns: Iterable[tuple[str, Column]]) -> None:
    """Raise if one column has floats and another has an integer that float64 would round."""
    columns = list(columns)
    floats = next((name for name, column in columns if column.label_dtype.kind == "f"), None)
    for name, column in [] if floats is None else columns:
        position = None if column.categories is not None else first_rounded(column.values)
        if position is not None:
            where = "" if name == floats else f" in {floats}"
            raise rounded_label(int(column.values[position]), name, where)


def are_comparable(first: np.dtype[Any], second: np.dtype[Any]) -> bool:
    """Return whether labels of two dtypes, such as int64 and float64, can be equal."""
    return second.kind in KINDS.get(first.kind, "")


def not_comparable(first: Column, second: Column, names: tuple[str, str]) -> ValueError:
    """Return the error for two columns whose labels cannot be compared."""
    found = [f"{name} contains {_held(column)}" for name, column in zip(names, (first, second))]
    advice = ""
    if {first.label_dtype.kind, second.label_dtype.kind} <= {*"biufOUT"}:
        advice = " Convert the strings to numbers, or the numbers to strings."
    return ValueError(f"the ratings cannot be compared: {' and '.join(found)}.{advice}")


def in_common_unit(columns: Sequence[Column], names: Sequence[str]) -> list[Column]:
    """Convert columns of dates or durations to a common unit."""
    unit = common_unit([dates for column in columns for dates in _dates_of(column)])
    return [_in_unit(column, unit, name) for column, name in zip(columns, names)]


def _dates_of(column: Column) -> list[AnyArray]:
    """Return the dates in a column, and the dates in its declared order."""
    return [column.values.view(column.label_dtype), *(column.declared or ())]


def _in_unit(column: Column, unit: np.dtype[Any], name: str) -> Column:
    dates, *order = (in_unit(array, unit, name) for array in _dates_of(column))
    return Column(dates.view(np.int64), unit, declared=LabelOrder(*order) if order else None)


def _held(column: Column) -> str:
    """Describe the type of a column's labels. For strings, add an example that is not a number."""
    if column.categories is None:
        return HELD[column.label_dtype.kind]
    held = [column.categories[code] for code in np.unique(column.values)]
    others = (string for string in held if not is_number(string) or not string.isascii())
    example = next(others, held[0] if held else None)
    return "strings" if example is None else f"strings ({example!r})"


def label_of(column: Column, place: int) -> str:
    """Return the label of one rating as text for a message."""
    if column.categories is not None:
        return repr(column.categories[column.values[place]])
    label = column.values[place : place + 1].astype(column.label_dtype)[0]
    return str(label) if column.label_dtype.kind in "mM" else repr(label.item())


def check_form(ratings: Any) -> None:
    """Raise an error for an array that scikit-learn rejects for its shape or complex numbers."""
    array = to_numpy(ratings)
    _refuse_complex(array)
    _one_dimensional(array)


def refuse_masked(**arrays: Any) -> None:
    """Raise if an array has masked entries, because NumPy's functions would ignore the mask."""
    for name, values in arrays.items():
        if is_masked_array(values) and np.ma.is_masked(values):
            position = int(np.flatnonzero(np.ma.getmaskarray(values))[0])
            raise ValueError(
                f"{name} must not have masked entries, got one at position {position}: leave"
                " out items with masked entries."
            )


def _strings_of_sequence(ratings: Any) -> Column | None:
    """Read a list or tuple of strings without converting it to an array, or return None."""
    if not isinstance(ratings, (list, tuple)) or not isinstance(first_of(ratings), str):
        return None
    try:
        codes, labels = codes_of_objects(ratings)
    except TypeError:
        return None
    # Mixed lists are left to NumPy, which converts their numbers to strings.
    if not all(isinstance(label, str) for label in labels):
        return None
    return Column(codes, np.dtype(object), labels)


def _read_objects(ratings: Any, name: str) -> Column | None:
    """Return an object array of numbers, or of numbers and strings, as a column.

    The column is the same as for a list of these objects. Return None for other object arrays.
    """
    array = to_numpy(ratings)
    if array.shape[1:] == (1,):
        array = array[:, 0]
    kinds = set(map(type, array)) if array.dtype == object and array.ndim == 1 else set()
    are_known = all(issubclass(kind, (str, int, float, np.number, np.bool_)) for kind in kinds)
    if not kinds or not are_known or any(map(is_missing, array)):
        return None
    listed = array.tolist()
    return _read_strings(np.asarray(listed), "") if str in kinds else _read(listed, name)


def _read_array(array: AnyArray, name: str) -> Column:
    array = _one_dimensional(array)
    kind = array.dtype.kind
    if array.ndim != 1:
        return Column(array, array.dtype, obstacle=_kind_of_matrix(array, name))
    if kind in "iu":
        return Column(array, array.dtype)
    if kind == "b":
        return Column(bits_of(array), array.dtype)
    if kind == "f":
        return _read_floats(array, name)
    if kind in "OUT":
        return _read_strings(array, name)
    if kind in "mM":
        if np.isnat(array).any():
            raise ValueError(f"Input {name} contains NaT.")
        return Column(array.view(array.dtype.str.replace(kind, "i", 1)[:3]), array.dtype)
    _refuse_complex(array)
    if kind == "S":
        _refuse_bytes()
    return Column(array, array.dtype, obstacle="unknown")


def bits_of(booleans: AnyArray) -> AnyArray:
    """Return booleans as bytes of 0 and 1, as a view if possible.

    A copy is needed if True is stored as a byte other than 1, as in a mask of 0 and 255 that is
    viewed as booleans.
    """
    found = booleans.view(np.uint8)
    return found if found.max(initial=0) <= 1 else (found != 0).view(np.uint8)


def _refuse_complex(array: AnyArray) -> None:
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")


def _one_dimensional(array: AnyArray) -> AnyArray:
    if array.ndim == 0:
        raise TypeError(
            "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got"
            f" scalar `{array!r}` instead."
        )
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    if array.ndim == 2 and array.shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    return array


def _kind_of_matrix(array: AnyArray, name: str) -> str:
    """Return scikit-learn's name for the type of a matrix of ratings."""
    if not min(array.shape):
        return "unknown"
    if array.dtype.kind == "O" and not isinstance(array.flat[0], str):
        return "unknown"
    if array.dtype.kind == "f" and not _all_whole(array.reshape(-1)):
        check_finite(array.reshape(-1), name)
        return "continuous-multioutput"
    if array.dtype.kind in "iufb" and len(np.unique(array)) <= 2:
        return "multilabel-indicator"
    return "multiclass-multioutput"


def _read_floats(array: AnyArray, name: str) -> Column:
    if not _all_whole(array):
        check_finite(array, name)
        return Column(array, array.dtype, obstacle="continuous")
    if array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float64)
    return Column(array, array.dtype)


def _all_whole(array: AnyArray) -> bool:
    with np.errstate(invalid="ignore"):
        return all(
            (chunk == chunk.astype(np.int64)).all()
            for chunk in (array[i : i + CHUNK] for i in range(0, len(array), CHUNK))
        )


def check_finite(array: AnyArray, name: str) -> None:
    """Raise scikit-learn's error for NaN and infinity."""
    infinite = False
    for start in range(0, len(array), CHUNK):
        chunk = array[start : start + CHUNK]
        if np.isnan(chunk).any():
            raise ValueError(f"Input {name} contains NaN.")
        infinite = infinite or bool(np.isinf(chunk).any())
    if infinite:
        raise ValueError(
            f"Input {name} contains infinity or a value too large for {array.dtype!r}."
        )


def _read_strings(array: AnyArray, name: str) -> Column:
    problem = _problem_of_objects(array, name)
    if problem is not None:
        return Column(array, array.dtype, obstacle=problem)
    if array.dtype.kind == "U" and array.dtype.itemsize:
        codes, labels = codes_of_fixed_width(array)
        return Column(codes, np.dtype(object), labels)
    try:
        codes, labels = codes_of_objects(array)
    except TypeError as error:
        raise ValueError(
            f"Input {name} contains a rating that cannot be a label: {error}"
        ) from error
    return Column(codes, np.dtype(object), _checked_strings(labels, name))


def _problem_of_objects(array: AnyArray, name: str) -> str | None:
    """Return scikit-learn's name for an object array's type, or None if a string comes first."""
    if len(array) == 0 or isinstance(array[0], str):
        return None
    if isinstance(array[0], bytes):
        _refuse_bytes()
    if isinstance(array[0], Sequence) and not hasattr(array[0], "__array__"):
        raise ValueError(
            "You appear to be using a legacy multi-label data representation. Sequence of"
            " sequences are no longer supported; use a binary array or sparse matrix instead"
            " - the MultiLabelBinarizer transformer can convert to this format."
        )
    if any(is_missing(label) for label in array):
        raise ValueError(f"Input {name} contains NaN.")
    return "unknown"


def _checked_strings(labels: list[Any], name: str) -> list[Any]:
    if all(isinstance(label, str) for label in labels):
        return labels
    if any(is_missing(label) for label in labels):
        raise ValueError(f"Input {name} contains NaN.")
    raise ValueError(f"Mix of label input types (string and number); Got {labels[:10]} in {name}.")


def _refuse_bytes() -> None:
    raise TypeError(
        "Support for labels represented as bytes is not supported. Convert the labels to a"
        " string or integer format."
    )

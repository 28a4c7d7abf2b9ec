"""Convert Arrow columns, and values that Arrow can represent, to ratings for counting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.formatting import list_in
from fastkappa.ratings.column import Column
from fastkappa.ratings.enums import codes_of_enum
from fastkappa.ratings.interop import checked, in_known_library, to_numpy
from fastkappa.ratings.label_order import shown
from fastkappa.ratings.lengths import check_read
from fastkappa.ratings.real_numbers import comma_hint
from fastkappa.sources.batches import LARGEST_RANGE
from fastkappa.sources.source_ratings import (
    BOOLEANS,
    DATES,
    FLOATS,
    INTEGERS,
    NO_TYPE,
    STRINGS,
    TIMES,
    Key,
    RatingsError,
    WantedLabels,
    no_label,
    no_weights,
    not_whole,
    order_of,
    refuse_missing_weights,
    refuse_negative,
)

# The libraries whose arrays Arrow can read.
IN_ARROW = ("numpy", "pandas", "polars", "pyarrow")
# Strings that stand for an empty set of labels. A lone separator also stands for one.
EMPTY_SETS = ("[]", "{}")
# A JSON object, or a list of objects, such as Label Studio writes into the cells of a CSV file.
JSON = re.compile(r"(\[\s*)?\{\".*\}(\s*\])?", re.DOTALL)


def as_array(values: Any, column: Any, codes: WantedLabels | None = None) -> Any:
    """Convert a column from any library to an Arrow array, with null for NaN.

    An Arrow column cannot contain mixed types. If the values are Python objects of mixed types,
    codes for missing ratings among them are therefore replaced with null.
    """
    import pyarrow

    if isinstance(values, (pyarrow.Array, pyarrow.ChunkedArray)):
        return checked(values)
    known = in_known_library(values)
    if str(getattr(known, "dtype", "")).startswith("Enum("):
        # Arrow would read a polars Enum as a sequence of strings and lose its order.
        known = known.to_arrow()
    if known is not values:
        return as_array(known, column, codes)
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise RatingsError(f"column {column!r} must be one-dimensional, got shape {values.shape}.")
    if isinstance(values, np.ndarray) and not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if isinstance(values, (str, bytes)):
        raise RatingsError(f"column {column!r} must be an array of ratings, got {values!r}.")
    values = _with_true_length(values, column)
    members = codes_of_enum(values, f"column {column!r}")
    if members is not None:
        places, order = members
        return pyarrow.DictionaryArray.from_arrays(places, order.names.tolist(), ordered=True)
    try:
        array = pyarrow.array(values, from_pandas=True)
        return array if _is_in_arrow(values) else checked(array)
    except (pyarrow.ArrowException, OverflowError, TypeError) as error:
        kind = getattr(values, "dtype", np.dtype(object)).kind
        objects = values if kind == "O" and isinstance(values, (list, tuple, np.ndarray)) else ()
        if codes is not None and len(objects):
            without = [None if isinstance(v, (str, int)) and v in codes else v for v in objects]
            return as_array(without, column)
        string = next((v for v in objects if isinstance(v, str)), None)
        if string is not None:
            raise RatingsError(
                f"column {column!r} cannot be read: it contains {string!r}, but also values that"
                f" are not strings. If {string!r} stands for a missing rating, list it in"
                " missing_codes= or leave the field empty."
            ) from error
        reason = " ".join(str(error).split()).rstrip(".")
        raise RatingsError(f"column {column!r} cannot be read: {reason}.") from error


def _is_in_arrow(values: Any) -> bool:
    """Return whether Arrow can read an object directly and rely on its reported length."""
    if type(values).__module__ == "builtins":
        return type(values) in (list, tuple, range)
    return type(values).__module__.partition(".")[0] in IN_ARROW


def _with_true_length(values: Any, column: Any) -> Any:
    """Return values as a sequence, or raise if their reported length is wrong.

    Arrow allocates memory for the reported length, and would write any further items beyond it.
    """
    if _is_in_arrow(values) or hasattr(values, "__arrow_array__"):
        return values
    if hasattr(values, "__array__"):
        read: Any = to_numpy(values)
    elif isinstance(values, Iterable):
        read = list(values)
    else:
        return values
    if hasattr(values, "__len__"):
        check_read(read, values, f"column {column!r}")
    return read


def distinct_ratings(array: Any, column: Any, fractions: bool = False) -> Column:
    """Return the distinct ratings in a column, or raise if they cannot be class labels."""
    return ratings_of(in_one(distinct_values(array, column)), column, fractions)


def distinct_values(array: Any, column: Any) -> Any:
    """Return the distinct values of a column, or raise if pyarrow cannot compare them."""
    import pyarrow

    try:
        return array.unique()
    except pyarrow.ArrowNotImplementedError:  # lists and structures
        raise RatingsError(no_label(column, array.type)) from None


def of_series(series: Any, column: Any, codes: WantedLabels | None = None) -> Any:
    """Return a narwhals column as an Arrow array."""
    import pyarrow

    # Arrow does not support sparse columns, non-native byte orders or Python objects of mixed
    # types.
    with suppress(pyarrow.ArrowException, OverflowError):
        if str(series.dtype) != "Object":
            return series.to_arrow()
    return as_array(series.to_numpy(), column, codes)


def keys_of(ratings: Column) -> list[Key]:
    """Return the keys of a batch's ratings as a list."""
    values: list[Any] = ratings.values.tolist()
    categories = ratings.categories
    return values if categories is None else [categories[code] for code in values]


def ratings_of(array: Any, column: Any, fractions: bool = False) -> Column:
    """Return the ratings in an Arrow array. The category None stands for a missing rating.

    If ``fractions`` is true, fractional numbers are also accepted as labels.

    Raises
    ------
    RatingsError
        If the ratings cannot be class labels.
    """
    import pyarrow
    from pyarrow import types

    dtype = array.type
    if types.is_dictionary(dtype):
        if is_string(dtype.value_type):
            read = _of_codes(array, STRINGS)
        else:
            read = ratings_of(array.cast(dtype.value_type), column, fractions)
        return read._replace(declared=order_of(declared_order(array, column)))
    if is_string(dtype):
        return _of_codes(_encoded(array), STRINGS)
    if types.is_integer(dtype):
        return _of_integers(array, INTEGERS)
    if types.is_boolean(dtype):
        return _of_integers(array.cast(pyarrow.uint8()), BOOLEANS)
    if types.is_floating(dtype) or types.is_decimal(dtype):
        if fractions:
            # Convert float32 values to their shortest decimal form, so that float32(0.1) equals the
            # label 0.1.
            array = array.cast("string") if types.is_float32(dtype) else array
            return _of_codes(_floats(array).dictionary_encode(), FLOATS)
        known = FLOATS if types.is_floating(dtype) else INTEGERS
        return _of_integers(_whole_numbers(array, column), known)
    if types.is_date(dtype) or types.is_timestamp(dtype):
        return _of_integers(_microseconds(array, column), DATES if types.is_date(dtype) else TIMES)
    if types.is_null(dtype):
        return Column(np.zeros(len(array), np.uint8), NO_TYPE, [None])
    if str(dtype).partition("[")[0] in ("binary", "large_binary", "binary_view"):
        return ratings_of(text_of_bytes(array, repr(column)), column)
    raise RatingsError(no_label(column, dtype))


def text_of_bytes(array: Any, column: str) -> Any:
    """Decode an array of bytes to strings, or raise if any of them is not valid UTF-8.

    pyarrow reads text that is not UTF-8 as bytes, and other programs can store text as bytes.
    """
    import pyarrow

    try:
        return array.cast(pyarrow.string())
    except pyarrow.ArrowInvalid:
        raise RatingsError(f"column {column} contains text that is not UTF-8.") from None


def declared_order(array: Any, column: Any) -> list[Key] | None:
    """Return all labels in the order that a dictionary array declares.

    Return None if the array declares no order.
    """
    from pyarrow import types

    if not types.is_dictionary(array.type) or not array.type.ordered:
        return None
    return keys_of(ratings_of(in_one(array).dictionary, column))


def weights_of(array: Any, column: Any) -> AnyArray:
    """Return item weights as integers or float64."""
    import pyarrow
    from pyarrow import types

    dtype = array.type
    refuse_missing_weights(array.null_count, column)
    if types.is_decimal(dtype) or types.is_floating(dtype):
        array = array.cast(pyarrow.float64())
    elif types.is_boolean(dtype):
        array = array.cast(pyarrow.uint8())
    elif not types.is_integer(dtype):
        hint = comma_hint(array.to_pylist())
        raise RatingsError(f"{no_weights(column, dtype)}{hint}")
    weights = values_of(array)
    refuse_negative(weights.min(initial=0).item(), column)
    return weights


def is_string(dtype: Any) -> bool:
    """Return whether an Arrow type is a string type."""
    return str(dtype) in ("string", "large_string", "string_view")


def in_one(array: Any) -> Any:
    """Return a chunked array as one array, and any other array unchanged."""
    import pyarrow

    if not isinstance(array, pyarrow.ChunkedArray):
        return array
    if array.num_chunks == 1:
        return array.chunk(0)
    if pyarrow.types.is_dictionary(array.type):
        if array.type.ordered:
            _refuse_different_orders(array.chunks)
        array = array.unify_dictionaries()
    if array.num_chunks == 0:
        return pyarrow.array([], array.type)
    return pyarrow.concat_arrays(array.chunks)


def in_table(columns: Mapping[str, Any]) -> Any:
    """Return columns as an Arrow table with the given names."""
    import pyarrow

    return pyarrow.table(dict(columns))


def with_order(array: Any, order: Sequence[Any] | None) -> Any:
    """Return an Arrow column that declares the given order.

    If ``order`` is None, return the column unchanged.
    """
    import pyarrow

    if order is None or not isinstance(array, (pyarrow.Array, pyarrow.ChunkedArray)):
        return array
    from pyarrow import compute

    labels = pyarrow.array(list(order))
    codes = compute.index_in(in_one(array).cast(labels.type), labels)
    return pyarrow.DictionaryArray.from_arrays(codes, labels, ordered=True)


def _refuse_different_orders(chunks: Sequence[Any]) -> None:
    """Raise if parts of a column declare different orders, because joining would keep only one."""
    for chunk in chunks[1:]:
        first, other = chunks[0].dictionary, chunk.dictionary
        if not other.equals(first):
            raise RatingsError(
                "parts of a column declare their labels in different orders:"
                f" {shown(first.to_pylist())} and {shown(other.to_pylist())}. Declare the same"
                " order in all parts."
            )


def _encoded(array: Any) -> Any:
    import pyarrow

    if str(array.type) == "string_view":
        array = array.cast(pyarrow.large_string())
    return array.dictionary_encode()


def _of_codes(array: Any, dtype: np.dtype[Any]) -> Column:
    codes, categories = codes_of(array, array.dictionary.to_pylist())
    return Column(codes, dtype, categories)


def codes_of(array: Any, categories: list[Any]) -> tuple[AnyArray, list[Any]]:
    """Return the codes and categories of a dictionary array, with an extra code for any nulls."""
    codes = values_of(array.indices)
    if array.indices.null_count:
        if len(categories) > np.iinfo(codes.dtype).max:
            codes = codes.astype(np.int64)
        codes = np.where(_is_null(array.indices), codes.dtype.type(len(categories)), codes)
        categories = [*categories, None]
    return codes, categories or [None]


def values_of(array: Any) -> AnyArray:
    """Return the numbers in an array without copying them. Nulls become arbitrary numbers.

    Arrow's own conversion imports pandas if it is installed. This import is slow, and would
    swallow a KeyboardInterrupt.
    """
    import pyarrow

    buffers = [None, array.buffers()[1]]
    bare = pyarrow.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)
    values: AnyArray = np.from_dlpack(bare)
    return values


def _is_null(array: Any) -> NDArray[np.bool_]:
    import pyarrow

    return values_of(array.is_null().cast(pyarrow.uint8())).view(np.bool_)


def _of_integers(array: Any, dtype: np.dtype[Any]) -> Column:
    """Return whole numbers without copying them.

    If there are nulls, return codes instead. None is then one of the categories.
    """
    if not array.null_count:
        return Column(values_of(array), dtype)
    from pyarrow import compute

    limits = compute.min_max(array)
    lowest, highest = limits["min"].as_py(), limits["max"].as_py()
    if lowest is None:
        return Column(np.zeros(len(array), np.uint8), dtype, [None])
    values, n_labels = values_of(array), highest - lowest + 1
    if n_labels > min(LARGEST_RANGE, np.iinfo(values.dtype).max):
        return _of_codes(array.dictionary_encode(), dtype)
    codes = values - values.dtype.type(lowest)
    np.putmask(codes, _is_null(array), n_labels)
    return Column(codes, dtype, [*range(lowest, highest + 1), None])


def _whole_numbers(array: Any, column: Any) -> Any:
    """Convert whole floats or decimals to integers, and NaN to null."""
    import pyarrow
    from pyarrow import compute

    if pyarrow.types.is_floating(array.type):
        array = _floats(array)
    try:
        return array.cast(pyarrow.int64())
    except pyarrow.ArrowInvalid:
        fractions = array.filter(compute.not_equal(compute.floor(array), array))
        found = fractions[0].as_py() if len(fractions) else "numbers beyond 64 bits"
        raise RatingsError(not_whole(column, found)) from None


def _floats(array: Any) -> Any:
    """Convert floats or decimals to float64, and NaN to null."""
    import pyarrow
    from pyarrow import compute

    array = array.cast(pyarrow.float64())
    if not compute.any(compute.is_nan(array)).as_py():
        return array
    return compute.if_else(compute.is_nan(array), pyarrow.nulls(1, array.type)[0], array)


def _microseconds(array: Any, column: Any) -> Any:
    """Convert dates or times to microseconds since 1970, in UTC."""
    import pyarrow

    try:
        return array.cast(pyarrow.timestamp("us")).cast(pyarrow.int64())
    except pyarrow.ArrowInvalid:
        raise RatingsError(
            f"column {column!r} has times that cannot be converted to 64-bit microseconds: round"
            " them to microseconds."
        ) from None


def lists_of(column: Any, separator: str) -> Any:
    """Convert texts such as ``joy;pride`` to lists of labels; return lists unchanged."""
    import pyarrow

    if are_lists(column):
        return column
    values = column.to_pylist()
    if (found := next((one for one in values if JSON.fullmatch(str(one))), None)) is not None:
        raise RatingsError(f"the ratings contain {found!r}: extract the labels first.")
    lists = [None if value is None else labels_in(str(value), separator) for value in values]
    return pyarrow.chunked_array([lists], pyarrow.list_(pyarrow.string()))


def labels_in(text: str, separator: str) -> list[str] | None:
    """Return the labels in a text, or None if it is blank.

    Examples
    --------
    >>> from fastkappa.sources.arrow_columns import labels_in
    >>> [labels_in(text, ";") for text in ("joy; pride", "joy;", ";", "[]", " ", "['joy']")]
    [['joy', 'pride'], ['joy'], [], [], None, ['joy']]
    """
    text = text.strip()
    if text in EMPTY_SETS:
        return []
    listed = list_in(text)
    if listed is not None:
        return listed
    return [part.strip() for part in text.split(separator) if part.strip()] if text else None


def are_lists(column: Any) -> bool:
    return "list" in str(column.type)


def as_strings(name: str, column: Any, *, are_sets: bool) -> Any:
    """Return a column of labels as strings, or a column of lists as lists of strings."""
    import pyarrow

    if not are_lists(column):
        return column.cast("string")
    if not are_sets:
        raise RatingsError(no_label(name, column.type))
    return column.cast(pyarrow.list_(pyarrow.string()))

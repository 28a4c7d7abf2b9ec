"""Read arrays from other libraries: pandas, polars, pyarrow, PyTorch and the array API.

An object's library is identified by the module of its type, so no library is imported. Only
objects of other libraries that export their ratings as Arrow memory require pyarrow.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import library_needed, users_stacklevel

# types without an index
PLAIN = (np.ndarray, list, tuple)
# libraries whose arrays need no conversion
KNOWN = ("numpy", "pandas", "polars", "pyarrow", "torch")
# Codes, the category of each code, and whether the order of the categories is declared.
Coded = tuple[AnyArray, Any, bool]


def in_known_library(column: Any) -> Any:
    """Convert a column to an array of a known library.

    A narwhals Series is unwrapped, and an object that supports a known protocol is converted. Other
    objects are returned unchanged, as are objects whose length would change in the conversion.
    """
    library = type(column).__module__.partition(".")[0]
    if type(column) in PLAIN or library in KNOWN:
        return column
    if library == "narwhals" and hasattr(column, "to_native"):
        return column.to_native()
    read = _from_protocol(column)
    if read is column or (hasattr(column, "__len__") and len(column) != len(read)):
        return column
    return read


def _from_protocol(column: Any) -> Any:
    """Return an object's exported memory as an array; return other objects unchanged."""
    for protocol, read in (("__arrow_c_array__", "array"), ("__arrow_c_stream__", "chunked_array")):
        if hasattr(column, protocol):
            with library_needed(f"reading {type(column)}", "pyarrow", "fastkappa[frames]"):
                import pyarrow

            return getattr(pyarrow, read)(column)
    if hasattr(column, "__dlpack__") and not hasattr(column, "__array__"):
        return np.from_dlpack(column)
    return column


def codes_of_foreign(ratings: Any, name: str) -> Coded | None:
    """Return a pandas, polars or pyarrow column's codes and categories, or None if it has none."""
    ratings = in_known_library(ratings)
    library = type(ratings).__module__.partition(".")[0]
    if library == "pandas":
        return _codes_of_pandas(ratings, name)
    if library == "polars":
        return _codes_of_polars(ratings, name)
    if library == "pyarrow":
        return _codes_of_pyarrow(ratings, name)
    return None


def to_numpy(array: Any) -> AnyArray:
    """Return an array-like as a NumPy array, copied from another device if necessary."""
    if type(array) is np.ndarray:
        return array
    array = in_known_library(array)
    library = type(array).__module__.partition(".")[0]
    if library == "pandas":
        return _pandas_to_numpy(array)
    if library == "pyarrow":
        array = _numbers_in_place(array)
        array = checked(array)
        if hasattr(array, "chunks") and hasattr(array.type, "index_type"):
            # pyarrow cannot unify dictionaries that contain null.
            array = array.cast(array.type.value_type)
    try:
        return np.asarray(array)
    except (TypeError, RuntimeError):
        # a PyTorch tensor that is on another device or tracked for gradients
        if hasattr(array, "detach"):
            array = array.detach().cpu()
            try:
                return np.asarray(array)
            # NumPy does not support bfloat16.
            except TypeError:
                return np.asarray(array.float())
        if library == "cupy":
            return np.asarray(array.get())
        if hasattr(array, "__dlpack__"):
            return np.from_dlpack(array)
        raise
    except ValueError:
        # Rows of different lengths become an array of lists, which is rejected later.
        return np.asarray(array, dtype=object)


def checked(column: Any) -> Any:
    """Return a column unchanged, or raise if pyarrow offsets or codes in it are out of bounds.

    Arrow validates offsets and codes only on request, and can otherwise read out of bounds.
    """
    if type(column).__module__.partition(".")[0] == "pyarrow" and hasattr(column, "validate"):
        column.validate(full=True)
    return column


def array_at_once(array: Any) -> AnyArray | None:
    """Return a NumPy array unchanged, a PyTorch tensor as an array, or None for other objects."""
    if type(array) is np.ndarray:
        return array
    if type(array).__module__ != "torch":
        return None
    try:
        memory: AnyArray = array.numpy()
    except (AttributeError, TypeError, RuntimeError):
        # a tensor that is on another device, tracked for gradients, or of a type that NumPy does
        # not support
        return None
    return memory


def only_column(ratings: Any) -> Any:
    """Return the only column of a frame, or the result of `in_known_library` for other objects."""
    if type(ratings) in PLAIN:
        return ratings
    ratings = in_known_library(ratings)
    if getattr(ratings, "columns", None) is None or len(ratings.columns) != 1:
        return ratings
    library = type(ratings).__module__.partition(".")[0]
    if library == "pandas":
        return ratings.iloc[:, 0]
    if library == "polars":
        return ratings.to_series()
    return ratings.column(0) if library == "pyarrow" else ratings


def names_of(columns: Sequence[Any], others: Sequence[str]) -> tuple[str, ...]:
    """Return the names of series, with missing names taken from ``others``.

    If two names are equal, all names are taken from ``others``.

    Examples
    --------
    >>> import pandas
    >>> from fastkappa.ratings.interop import names_of
    >>> ann, ben = pandas.Series([1, 2], name="Ann"), pandas.Series([1, 1], name="Ben")
    >>> names_of([ann, ben], ["first", "second"]), names_of([ann, ann], ["first", "second"])
    (('Ann', 'Ben'), ('first', 'second'))
    >>> names_of([ann, [1, 1]], ["first", "second"])
    ('Ann', 'second')
    """
    found = [getattr(only_column(column), "name", None) for column in columns]
    names = tuple(
        name if isinstance(name, str) and name.strip() else other
        for name, other in zip(found, others)
    )
    return names if len(set(names)) == len(names) else tuple(others)


def warn_of_row_order(columns: Mapping[str, Any]) -> None:
    """Warn if the indexes of two pandas series overlap but differ.

    Ratings, clusters, groups and weights are matched by position. The keys of ``columns`` are the
    names of the arguments. Different indexes are not an error, because matching by position can be
    right if an index only numbers the rows.
    """
    indexes = {
        name: column.index
        for name, column in columns.items()
        if type(column) not in PLAIN
        and type(column).__module__.partition(".")[0] == "pandas"
        and hasattr(column, "index")
    }
    if len(indexes) < 2:
        return
    for (name, first), (other_name, other) in zip(indexes.items(), list(indexes.items())[1:]):
        if first is other or len(first) != len(other) or first.equals(other):
            continue
        if not (first.is_unique and other.is_unique):
            continue
        if first.nlevels != other.nlevels:
            continue
        is_shared = other.isin(first)
        if is_shared.all():
            differ = "the same index in a different order"
            remedy = f"{other_name}.reindex({name}.index)"
        elif is_shared.any():
            # Indexes that overlap only in part are the usual result of calling dropna() on each
            # series.
            differ = "indexes that overlap only in part"
            remedy = f"both columns of pandas.concat([{name}, {other_name}], axis=1, join='inner')"
        else:
            continue
        warnings.warn(
            f"{name} and {other_name} have {differ}, but their items were matched by position."
            f" To match them by index, pass {remedy}. If matching by position is intended, pass"
            f" {name}.to_numpy() and {other_name}.to_numpy().",
            UserWarning,
            stacklevel=users_stacklevel(),
        )


def warn_of_same_column(columns: Mapping[str, Any]) -> None:
    """Warn if the same column was passed for both raters, because it always agrees with itself.

    A frame returns a new object each time a column is selected, so the names are also compared.
    """
    (name, first), (other_name, other) = columns.items()
    title = getattr(first, "name", None)
    same = first is other
    if not same and isinstance(title, str) and title == getattr(other, "name", None):
        same = type(first) is type(other) and hasattr(first, "equals") and first.equals(other)
    if same:
        warnings.warn(
            f"{name} and {other_name} are the same column"
            f"{f' {title!r}' if isinstance(title, str) else ''}, which always agrees with itself:"
            " pass the ratings of two raters.",
            UserWarning,
            stacklevel=users_stacklevel(),
        )


def _refuse_missing(missing: bool, name: str) -> None:
    if missing:
        raise ValueError(f"Input {name} contains NaN.")


def _codes_of_pandas(ratings: Any, name: str) -> Coded | None:
    dtype = getattr(ratings, "dtype", None)
    if dtype is None:
        return None
    if type(dtype).__name__ == "CategoricalDtype":
        categorical = getattr(ratings, "array", ratings)
        codes = np.asarray(categorical.codes)
        _refuse_missing(bool(len(codes)) and int(codes.min()) < 0, name)
        return codes, categorical.categories, bool(dtype.ordered)
    if not isinstance(dtype, np.dtype):
        _refuse_missing(bool(ratings.isna().any()), name)
        if getattr(getattr(dtype, "pyarrow_dtype", None), "ordered", False):
            return _codes_of_pyarrow(getattr(ratings, "array", ratings).__arrow_array__(), name)
        if getattr(dtype, "kind", "O") == "O":
            codes, categories = ratings.factorize()
            return codes, categories, False
    return None


def _numbers_in_place(array: Any) -> Any:
    """Convert pyarrow numbers to an array without a copy; return other arrays unchanged.

    Arrow's own conversion imports pandas if it is installed, which takes half a second.
    """
    if not hasattr(array, "null_count") or array.null_count:
        return array
    kind = sys.modules["pyarrow"].types
    if not (kind.is_integer(array.type) or kind.is_floating(array.type)):
        return array
    array.validate()
    whole = array.combine_chunks() if hasattr(array, "chunks") else array
    return np.from_dlpack(whole) if hasattr(whole, "__dlpack__") else array


def _pandas_to_numpy(array: Any) -> AnyArray:
    dtype = getattr(array, "dtype", None)
    # A nullable column without missing values is converted to an array of its NumPy dtype.
    plain = getattr(dtype, "numpy_dtype", None)
    if plain is not None and plain.kind in "iufb":
        missing = bool(array.isna().any())
        converted: AnyArray = (
            array.to_numpy(dtype=np.float64, na_value=np.nan)
            if missing
            else array.to_numpy(dtype=plain)
        )
        return converted
    return np.asarray(array)


def _codes_of_polars(ratings: Any, name: str) -> Coded | None:
    if type(ratings).__name__ != "Series":
        return None
    _refuse_missing(ratings.null_count() > 0, name)
    polars = sys.modules["polars"]
    if ratings.dtype == polars.String:
        ratings = ratings.cast(polars.Categorical)
    if ratings.dtype == polars.Enum:
        return ratings.to_physical().to_numpy(), ratings.dtype.categories.to_list(), True
    if ratings.dtype == polars.Categorical:
        # The codes are positions in a pool shared with other columns, so they are renumbered from
        # 0.
        labels = ratings.unique()
        pooled = labels.to_physical().to_numpy()
        code = np.empty(pooled.max(initial=0) + 1, np.int32)
        code[pooled] = np.arange(len(pooled), dtype=np.int32)
        return code[ratings.to_physical().to_numpy()], labels.to_list(), False
    return None


def _codes_of_pyarrow(ratings: Any, name: str) -> Coded | None:
    encoded = dictionary_of_pyarrow(ratings, name)
    if encoded is None:
        return None
    codes, dictionary, is_ordered = encoded
    return codes, dictionary.to_pylist(), is_ordered


def dictionary_of_pyarrow(ratings: Any, name: str) -> Coded | None:
    """Return a pyarrow dictionary or string column's codes and dictionary, or None otherwise."""
    if not hasattr(ratings, "null_count"):
        return None
    _refuse_missing(ratings.null_count > 0, name)
    pyarrow = sys.modules["pyarrow"]
    kind = pyarrow.types
    if kind.is_string(ratings.type) or kind.is_large_string(ratings.type):
        ratings = checked(ratings).dictionary_encode()
    if not kind.is_dictionary(ratings.type):
        return None
    if not isinstance(ratings, pyarrow.ChunkedArray):
        # Use Arrow's check only for the dictionary, because the check of the codes below is faster
        # than Arrow's.
        checked(ratings.dictionary)
    else:
        ratings = checked(ratings)
        parts = [_without_null_labels(part, name) for part in ratings.chunks]
        ratings = pyarrow.chunked_array(parts, ratings.type).unify_dictionaries().combine_chunks()
        if isinstance(ratings, pyarrow.ChunkedArray):
            ratings = ratings.chunk(0) if ratings.num_chunks else pyarrow.array([], ratings.type)
    ratings = _without_null_labels(ratings, name)
    codes = to_numpy(ratings.indices)
    refuse_codes_beyond(codes, len(ratings.dictionary), name)
    return codes, ratings.dictionary, ratings.type.ordered


def refuse_codes_beyond(codes: AnyArray, n_labels: int, name: str) -> None:
    """Raise if a code has no label. Arrow's own check is several times slower."""
    # Read as unsigned integers, negative codes are large, so one comparison is enough.
    if len(codes) and int(codes.view(codes.dtype.str.replace("i", "u")).max()) >= n_labels:
        raise ValueError(
            f"{name} has a code that belongs to no label. With {n_labels} labels, each code must be"
            f" at least 0 and less than {n_labels}."
        )


def _without_null_labels(ratings: Any, name: str) -> Any:
    """Return a dictionary array without null labels, or raise if a rating is null."""
    if not ratings.dictionary.null_count:
        return ratings
    codes, is_label = to_numpy(ratings.indices), np.asarray(ratings.dictionary.is_valid())
    refuse_codes_beyond(codes, len(is_label), name)
    _refuse_missing(not is_label[codes].all(), name)
    places = (np.cumsum(is_label) - 1).astype(codes.dtype)
    ordered, labels = ratings.type.ordered, ratings.dictionary.drop_null()
    return type(ratings).from_arrays(places[codes], labels, ordered=ordered)


def strings_in_arrow(strings: Any) -> Any:
    """Return UTF-8 strings from another library as one pyarrow large_string array.

    No Python code runs for the individual strings. Return None for columns without strings, and for
    columns that store them in another form.
    """
    strings = _in_arrow(strings)
    pyarrow = sys.modules.get("pyarrow")
    # Another thread might still be importing pyarrow.
    if pyarrow is None or not hasattr(pyarrow, "ChunkedArray"):
        return None
    if not isinstance(strings, (pyarrow.Array, pyarrow.ChunkedArray)):
        return None
    if pyarrow.types.is_dictionary(strings.type):
        strings = checked(strings).cast(strings.type.value_type)
    if str(strings.type) not in ("string", "large_string", "string_view"):
        return None
    if str(strings.type) == "string_view":
        checked(strings)
    strings = strings.cast(pyarrow.large_string())
    if isinstance(strings, pyarrow.ChunkedArray):
        # A single chunk is used directly, because combine_chunks would copy it.
        strings = strings.chunk(0) if strings.num_chunks == 1 else strings.combine_chunks()
    return strings


def _in_arrow(column: Any) -> Any:
    """Convert a pandas or polars column to pyarrow if it stores strings as Arrow strings."""
    library = type(column).__module__.partition(".")[0]
    if library == "pandas" and getattr(getattr(column, "dtype", None), "storage", "") == "pyarrow":
        return getattr(column, "array", column).__arrow_array__()
    if library == "polars" and str(getattr(column, "dtype", "")) == "String":
        with suppress(ImportError):
            return column.to_arrow()
    return column

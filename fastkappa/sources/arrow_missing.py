"""Replace values that stand for missing ratings in a file's columns with null."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from fastkappa.arrays import LARGEST_EXACT
from fastkappa.ratings.doubtful_labels import (
    missing_among_numbers,
    odd_strings,
    refuse_decimal_commas,
    refuse_odd_strings,
)
from fastkappa.ratings.missing import BLANKS
from fastkappa.sources.arrow_columns import codes_of, in_one, is_string
from fastkappa.sources.arrow_files import DELIMITERS, format_of
from fastkappa.sources.source_ratings import STRINGS, WantedLabels, column_of
from fastkappa.sources.text.arrow_text import inferred, with_point, without_texts

# How to handle strings among numbers.
OddStrings = Literal["raise", "drop", "keep"]


def without_blanks(names: Any) -> Any:
    """Return a column of names, such as clusters, with null for blank strings."""
    from pyarrow import compute

    if not is_string(getattr(names.type, "value_type", names.type)):
        return names
    trimmed = compute.utf8_trim(names.cast("string"), characters=BLANKS)
    are_blank = compute.equal(trimmed, "")
    return compute.if_else(are_blank, None, names) if compute.any(are_blank).as_py() else names


def mark_missing(
    path: Path,
    column: str,
    array: Any,
    codes: WantedLabels | None,
    *,
    odd: OddStrings,
    remedy: str,
    decimal: str,
    of_commas: str | None = None,
) -> Any:
    """Return a column of a file, with codes for missing ratings replaced by null.

    Parameters
    ----------
    path, column : Path, str
        The file and the name of its column.
    array : pyarrow.ChunkedArray
        The column that was read.
    codes : WantedLabels or None
        The values that stand for a missing rating.
    odd : {'raise', 'drop', 'keep'}
        How to handle strings among numbers: as an error, as missing, or as labels.
    remedy : str
        The advice in the error about such strings.
    decimal : str
        The decimal separator in text.
    of_commas : str, optional
        The advice in the error about numbers with a decimal comma. If None, they are no error.

    Returns
    -------
    array : pyarrow.Array
        The column. In text files, its type is inferred from the values that are not missing.
    """
    import pyarrow
    from pyarrow import types

    array = in_one(array)
    is_dictionary = types.is_dictionary(array.type)
    if is_string(array.type.value_type if is_dictionary else array.type):
        is_text = format_of(path) in DELIMITERS
        return _marked_strings(array, column, codes, is_text, odd, remedy, decimal, of_commas)
    numbers: list[int] = []
    if codes is not None and types.is_integer(array.type):
        limits = np.iinfo(str(array.type))
        numbers = codes.whole_numbers(int(limits.min), int(limits.max))
    elif codes is not None and types.is_floating(array.type):
        numbers = codes.whole_numbers(-LARGEST_EXACT, LARGEST_EXACT)
    if not numbers:
        return array
    from pyarrow import compute

    are_codes = compute.is_in(array, value_set=pyarrow.array(numbers).cast(array.type))
    return compute.if_else(are_codes, pyarrow.nulls(1, array.type)[0], array)


def _marked_strings(
    array: Any,
    column: str,
    codes: WantedLabels | None,
    is_text: bool,
    odd: OddStrings,
    remedy: str,
    decimal: str,
    of_commas: str | None,
) -> Any:
    import pyarrow

    encoded = array if hasattr(array, "dictionary") else array.dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    gone = {text for text in texts if text is not None and codes is not None and text in codes}
    if odd != "keep" and not encoded.type.ordered:
        values, categories = codes_of(encoded, texts)
        counts = np.bincount(values, minlength=len(categories))
        places = [i for i, text in enumerate(categories) if text not in gone | {None}]
        present = column_of(
            [with_point(categories[i], decimal) for i in places], STRINGS, counts=counts[places]
        )
        if of_commas is not None:
            refuse_decimal_commas(present, f"column {column!r}", of_commas)
        # Strings such as "n/a" count as missing only if the user gave no missing codes.
        others = {*odd_strings(present)}
        if odd == "drop" and codes is None:
            found = {*missing_among_numbers(present)}
            gone |= found
            others -= found
        if others:
            refuse_odd_strings(present, f"column {column!r}", remedy)
    if not gone and None not in texts:
        return array
    kept, places = without_texts(encoded, gone)
    if is_text:
        return inferred(kept, column, decimal).take(places)
    values = pyarrow.array(kept, encoded.type.value_type)
    return pyarrow.DictionaryArray.from_arrays(places, values, ordered=encoded.type.ordered)

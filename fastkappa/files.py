"""Two columns of ratings from a file: CSV, TSV, Parquet or Arrow, all read by pyarrow.

Only the columns asked for are read. What comes back can be counted: whole numbers,
booleans or strings, with nothing missing, and the same kind for both raters.
"""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

SUFFIXES = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "tsv",
    ".tsv.gz": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
ARROW_FILE_MAGIC = b"ARROW1"
# The table has the square of the number of labels in cells: an identifier or a count
# taken for a rating would ask for more memory than there is.
LARGEST_NUMBER_OF_LABELS = 2000
COLUMNS_TOLD = 20


class RatingsError(ValueError):
    """A file, its columns or its ratings are not what can be scored."""


class Ratings(NamedTuple):
    """Two raters' ratings of the same items, and what was left out of them.

    Attributes
    ----------
    y1, y2 : pyarrow.ChunkedArray
        The ratings, none of them missing.
    kind : str
        What both hold: 'integers', 'booleans' or 'strings'.
    n_rows : int
        How many rows the file has.
    missing : tuple of int
        How many ratings are missing in the first and in the second column.
    n_dropped : int
        How many rows were left out because a rating is missing.
    """

    y1: Any
    y2: Any
    kind: str
    n_rows: int
    missing: tuple[int, int]
    n_dropped: int


def read_ratings(path: Path, y1: str, y2: str, *, drop_missing: bool = False) -> Ratings:
    """Read the ratings of two raters from two columns of a file.

    Parameters
    ----------
    path : Path
        A file whose format its suffix tells, one of ``SUFFIXES``.
    y1, y2 : str
        The column of the first and of the second rater; they may be the same one.
    drop_missing : bool, default=False
        Whether rows with a missing rating are left out. They are an error otherwise.

    Returns
    -------
    ratings : Ratings

    Raises
    ------
    RatingsError
        If the file cannot be read, a column is not there, ratings are missing or are no
        class labels, or the two columns hold different kinds of them.
    ImportError
        If pyarrow is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fastkappa.files import read_ratings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ratings.csv")
    ...     _ = path.write_text("left,right\\n0,1\\n2,2\\n")
    ...     ratings = read_ratings(path, "left", "right")
    >>> ratings.y2.to_pylist(), ratings.kind
    ([1, 2], 'integers')
    """
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            "reading files needs pyarrow: install it with: pip install 'fastkappa[cli]'"
        ) from error

    with _one_error(path, pyarrow):
        table = _read_columns(path, tuple(dict.fromkeys((y1, y2))))
        # A binary file is taken at its word: text that is not UTF-8, or a code without a
        # rating, shows here only.
        table.validate(full=True)
        if table.num_rows == 0:
            raise RatingsError(f"{path} has no rows.")
        first, second = (_with_nulls_for_missing(table.column(name)) for name in (y1, y2))
        missing = (first.null_count, second.null_count)
        if any(missing) and not drop_missing:
            raise RatingsError(_about_missing((y1, y2), missing, table.num_rows))
        if any(missing):
            first, second = _complete_rows(first, second)
        if len(first) == 0:
            raise RatingsError(
                f"no rows are left: all {table.num_rows} of {path} have a missing rating."
            )
        first, second = _as_labels(first, y1), _as_labels(second, y2)
        kind = _common_kind((first, second), (y1, y2))
    return Ratings(first, second, kind, table.num_rows, missing, table.num_rows - len(first))


def parse_labels(text: str, kind: str) -> list[Any]:
    """Return labels written as ``a,b,c`` in the type of the ratings.

    A label with a comma in it goes in double quotes.

    Examples
    --------
    >>> from fastkappa.files import parse_labels
    >>> parse_labels("3,1,2", "integers")
    [3, 1, 2]
    """
    labels = next(csv.reader([text], skipinitialspace=True), [])
    labels = [label.strip() for label in labels]
    if not any(labels):
        raise RatingsError("--labels names no label.")
    if kind == "strings":
        return labels
    if kind == "booleans":
        return [_parse_boolean(label) for label in labels]
    return [_parse_integer(label) for label in labels]


def check_number_of_labels(ratings: Ratings, columns: Sequence[str]) -> None:
    """Raise if a column has so many different ratings that it cannot be meant."""
    import pyarrow.compute

    for name, column in zip(columns, (ratings.y1, ratings.y2)):
        if ratings.kind == "strings":
            n_labels = len(column.unique())
        else:
            n_labels = pyarrow.compute.count_distinct(column).as_py()
        if n_labels > LARGEST_NUMBER_OF_LABELS:
            raise RatingsError(
                f"column {name!r} holds {n_labels} different ratings, more than the"
                f" {LARGEST_NUMBER_OF_LABELS} labels a table is made for: is it a rating?"
                " --labels names those to take."
            )


@contextmanager
def _one_error(path: Path, pyarrow: Any) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read into an error that names the file."""
    try:
        yield
    except RatingsError:
        raise
    except UnicodeDecodeError as error:
        raise RatingsError(f"{path} cannot be read: it is not UTF-8 text ({error}).") from error
    except (OSError, pyarrow.ArrowException, IndexError, KeyError) as error:
        # The last two come from metadata of a Parquet file that contradict each other.
        reason = " ".join(str(error).split()).rstrip(".")
        raise RatingsError(f"{path} cannot be read: {reason}.") from error


def _read_columns(path: Path, columns: Sequence[str]) -> Any:
    file_format = _format_of(path)
    if not path.exists():
        raise RatingsError(f"there is no file {path}.")
    if path.is_dir():
        raise RatingsError(f"{path} is a directory, not a file.")
    if path.stat().st_size == 0:
        raise RatingsError(f"{path} is empty.")
    if file_format == "parquet":
        return _read_parquet(path, columns)
    if file_format == "arrow":
        return _read_arrow(path, columns)
    return _read_text(path, columns, "," if file_format == "csv" else "\t")


def _format_of(path: Path) -> str:
    name = path.name.lower()
    for suffix, file_format in SUFFIXES.items():
        if name.endswith(suffix):
            return file_format
    raise RatingsError(
        f"the format of {path} is not known by its suffix {path.suffix!r}; those known are"
        f" {', '.join(SUFFIXES)}."
    )


def _read_text(path: Path, columns: Sequence[str], delimiter: str) -> Any:
    from pyarrow import csv as text

    # A field of free text beside the ratings may well have a line break in it.
    parse_options = text.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    with text.open_csv(path, parse_options=parse_options) as reader:
        _check_columns(path, columns, reader.schema.names)
    return text.read_csv(
        path,
        parse_options=parse_options,
        convert_options=text.ConvertOptions(
            include_columns=list(columns), strings_can_be_null=True, auto_dict_encode=True
        ),
    )


def _read_parquet(path: Path, columns: Sequence[str]) -> Any:
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    _check_columns(path, columns, schema.names)
    strings = [name for name in columns if _is_string(schema.field(name).type)]
    with parquet.ParquetFile(path, read_dictionary=strings) as file:
        return file.read(columns=list(columns))


def _read_arrow(path: Path, columns: Sequence[str]) -> Any:
    import pyarrow

    with path.open("rb") as file:
        is_file = file.read(len(ARROW_FILE_MAGIC)) == ARROW_FILE_MAGIC
    open_arrow = pyarrow.ipc.open_file if is_file else pyarrow.ipc.open_stream
    with pyarrow.memory_map(str(path)) as source:
        names = open_arrow(source).schema.names
        _check_columns(path, columns, names)
        source.seek(0)
        options = pyarrow.ipc.IpcReadOptions(
            included_fields=sorted(names.index(name) for name in columns)
        )
        return open_arrow(source, options=options).read_all()


def _check_columns(path: Path, wanted: Sequence[str], there: Sequence[str]) -> None:
    """Raise if a column is not there, or is there more than once."""
    for name in wanted:
        if there.count(name) > 1:
            raise RatingsError(f"{path} has {there.count(name)} columns named {name!r}.")
        if name in there:
            continue
        by_lower_case = {column.lower(): column for column in reversed(there)}
        nearest = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
        hint = f" Did you mean {by_lower_case[nearest[0]]!r}?" if nearest else ""
        told = ", ".join(map(repr, there[:COLUMNS_TOLD]))
        more = len(there) - COLUMNS_TOLD
        rest = f" and {more} more" if more > 0 else ""
        raise RatingsError(f"{path} has no column {name!r}; it has {told}{rest}.{hint}")


def _with_nulls_for_missing(column: Any) -> Any:
    """Return a column whose missing ratings are all nulls, which NaN and some codes are not."""
    import pyarrow
    from pyarrow import compute, types

    if types.is_dictionary(column.type):
        # A dictionary may hold a null, or a rating twice; a categorical may be of numbers.
        is_text = _is_string(column.type.value_type)
        if is_text and all(_is_set(chunk.dictionary) for chunk in column.chunks):
            return column
        column = column.cast(column.type.value_type)
    if types.is_floating(column.type):
        column = column.cast(pyarrow.float64())
        return compute.if_else(compute.is_nan(column), None, column)
    return column


def _is_set(values: Any) -> bool:
    return values.null_count == 0 and len(values.unique()) == len(values)


def _complete_rows(first: Any, second: Any) -> tuple[Any, Any]:
    """Return the ratings of the items that both have rated."""
    from pyarrow import compute

    both = compute.and_(compute.is_valid(first), compute.is_valid(second))
    return first.filter(both), second.filter(both)


def _about_missing(columns: tuple[str, str], missing: tuple[int, int], n_rows: int) -> str:
    counted = dict(zip(columns, missing))
    told = " and ".join(f"{n} in column {name!r}" for name, n in counted.items() if n)
    return f"ratings are missing: {told}, of {n_rows} rows. --missing drop leaves such rows out."


def _as_labels(column: Any, name: str) -> Any:
    """Return ratings as integers, booleans or strings, or say why they are none of these."""
    import pyarrow
    from pyarrow import types

    held = column.type
    if types.is_integer(held) or types.is_boolean(held) or _is_text(held):
        return column
    if types.is_binary(held) or types.is_large_binary(held):
        try:
            return column.cast(pyarrow.string())
        except pyarrow.ArrowInvalid:
            raise RatingsError(f"column {name!r} holds text that is not UTF-8.") from None
    if types.is_floating(held) or types.is_decimal(held):
        try:
            return column.cast(pyarrow.int64())
        except pyarrow.ArrowInvalid:
            raise RatingsError(
                f"column {name!r} holds {_first_not_whole(column)}: ratings must be whole"
                " numbers or strings."
            ) from None
    raise RatingsError(
        f"column {name!r} holds values of type {held}: ratings must be whole numbers, strings"
        " or booleans."
    )


def _is_string(held: Any) -> bool:
    return str(held) in ("string", "large_string", "string_view")


def _is_text(held: Any) -> bool:
    from pyarrow import types

    return _is_string(held) or (types.is_dictionary(held) and _is_string(held.value_type))


def _first_not_whole(column: Any) -> str:
    """Return the first number that is no integer of 64 bits."""
    from pyarrow import compute

    fractions = column.filter(compute.not_equal(compute.floor(column), column))
    return str(fractions[0].as_py()) if len(fractions) else "numbers beyond 64 bits"


def _common_kind(columns: Sequence[Any], names: tuple[str, str]) -> str:
    """Return what both columns hold; booleans beside integers count as 0 and 1."""
    kinds = [_kind_of(column) for column in columns]
    if kinds[0] == kinds[1]:
        return kinds[0]
    if "strings" in kinds:
        raise RatingsError(
            "the ratings cannot be compared: "
            + " and ".join(
                f"column {name!r} holds {kind}{_example(column, kind)}"
                for name, kind, column in zip(names, kinds, columns)
            )
            + "."
        )
    return "integers"


def _kind_of(column: Any) -> str:
    from pyarrow import types

    if _is_text(column.type):
        return "strings"
    return "booleans" if types.is_boolean(column.type) else "integers"


def _example(column: Any, kind: str) -> str:
    """Return, of strings, one that is no number: it is why the column is not one of those."""
    if kind != "strings":
        return ""
    ratings = column.unique().to_pylist()
    told = next((rating for rating in ratings if not rating.lstrip("+-").isdigit()), ratings[0])
    return f" ({told!r})"


def _parse_integer(label: str) -> int:
    try:
        return int(label)
    except ValueError:
        raise RatingsError(f"--labels has {label!r}, but the ratings are integers.") from None


def _parse_boolean(label: str) -> bool:
    try:
        return {"true": True, "false": False}[label.lower()]
    except KeyError:
        raise RatingsError(f"--labels has {label!r}, but the ratings are true and false.") from None

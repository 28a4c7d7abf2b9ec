"""Read JSON Lines (one object per line) with pyarrow, in blocks of lines.

A field that is absent from an object counts as missing. An empty string also counts as missing, as
in text files. Values keep their JSON types, so the string "1" is not the number 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.sources.arrow_columns import as_array, is_string
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.sources.text.text_format import is_packed

# A parsed block: its number of rows, the names of all its fields, and the columns of the required
# fields.
Parsed = tuple[int, Iterable[str], dict[str, Any]]
# The number of bytes read at a time.
BLOCK_SIZE = 1 << 22
# The maximum length of a line in bytes.
LONGEST_LINE = 1 << 27
# If a line of a block opens more lists and objects than this, the block is not passed to pyarrow,
# which crashes on 20,000 nested lists.
MOST_OPENED = 1000
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def json_batches(
    path: Path,
    columns: Sequence[str],
    on_progress: Callable[[int], None],
    check: Callable[[Sequence[str]], None],
) -> Iterator[Any]:
    """Yield columns of a file in batches, then call ``check`` with all field names."""
    import pyarrow

    names: dict[str, None] = {}
    for block in _blocks(path, on_progress):
        parsed = None if _may_be_deep(block) else _parsed(block, columns)
        n_rows, own_names, own = parsed or _decoded(path, block, columns)
        names.update(dict.fromkeys(own_names))
        absent = pyarrow.nulls(n_rows)
        found = {name: _without_blanks(column) for name, column in own.items()}
        table = pyarrow.table({name: found.get(name, absent) for name in columns})
        for batch in table.to_batches():
            batch.validate(full=True)
            yield batch
    if names:
        check(list(names))


def _without_blanks(column: Any) -> Any:
    """Return a column with empty strings replaced by null."""
    from pyarrow import compute

    if not is_string(column.type):
        return column
    return compute.if_else(compute.equal(column, ""), None, column)


def json_names(path: Path) -> list[str]:
    """Return the names of a file's fields, in order of first occurrence."""
    names: dict[str, None] = {}

    def check(found: Sequence[str]) -> None:
        names.update(dict.fromkeys(found))

    for _ in json_batches(path, (), lambda n_bytes: None, check):
        continue
    return list(names)


def _may_be_deep(block: bytes) -> bool:
    """Return whether any line could be nested so deeply that pyarrow would run out of stack."""
    if block.count(b"[") + block.count(b"{") <= MOST_OPENED:
        return False
    text = np.frombuffer(block, np.uint8)
    opens = ((text == ord("[")) | (text == ord("{"))).view(np.uint8)
    starts = np.concatenate([[0], np.flatnonzero(text[:-1] == ord("\n"))])
    return bool(np.add.reduceat(opens, starts, dtype=np.int64).max() > MOST_OPENED)


def _parsed(block: bytes, columns: Sequence[str]) -> Parsed | None:
    """Return the required fields of a block as parsed by pyarrow, or None if pyarrow fails.

    pyarrow infers the types of all fields, so even a field that is not required can make it fail.
    """
    import pyarrow
    from pyarrow import json

    options = json.ReadOptions(use_threads=False, block_size=len(block) + 1)
    try:
        lines = json.read_json(pyarrow.BufferReader(block), read_options=options)
    except pyarrow.ArrowInvalid:
        return None
    fields = lines.schema.field
    # pyarrow converts strings that look like timestamps, so such columns are read again as strings.
    times = [n for n in columns if n in lines.column_names and "timestamp" in str(fields(n).type)]
    if times:
        texts = pyarrow.schema([(name, pyarrow.string()) for name in times])
        parse_options = json.ParseOptions(explicit_schema=texts)
        lines = json.read_json(pyarrow.BufferReader(block), options, parse_options)
    found = {name: lines.column(name) for name in columns if name in lines.column_names}
    return len(lines), lines.column_names, found


def _decoded(path: Path, block: bytes, columns: Sequence[str]) -> Parsed:
    """Return the required fields of a block as parsed by Python."""
    import json

    try:
        objects = [json.loads(line) for line in block.decode().split("\n") if line.strip()]
    except json.JSONDecodeError as error:
        raise RatingsError(
            f"{path} cannot be read: a line is not JSON ({error.msg}), got {short_repr(error.doc)}."
        ) from error
    except RecursionError as error:
        raise RatingsError(f"{path} cannot be read: a line is nested too deeply.") from error
    odd = next((one for one in objects if not isinstance(one, dict)), None)
    if odd is not None:
        raise RatingsError(
            f"{path} cannot be read: a line is not a JSON object, got {short_repr(odd)}."
        )
    found = {name: as_array([one.get(name) for one in objects], name) for name in columns}
    return len(objects), chain.from_iterable(objects), found


def _blocks(path: Path, on_progress: Callable[[int], None]) -> Iterator[bytes]:
    """Yield the lines of a file in blocks small enough to parse in little memory."""
    import pyarrow

    with pyarrow.OSFile(str(path)) as opened:
        text = pyarrow.CompressedInputStream(opened, "gzip") if is_packed(path) else opened
        rest, is_first = b"", True
        while data := text.read(BLOCK_SIZE):
            on_progress(opened.tell())
            if is_first:
                data, is_first = data.removeprefix(BYTE_ORDER_MARK), False
                _refuse_array(path, data)
            end = data.rfind(b"\n") + 1
            if end and (rest + data[:end]).strip():
                yield rest + data[:end]
            rest = data[end:] if end else rest + data
            if len(rest) > LONGEST_LINE:
                raise RatingsError(
                    f"{path} cannot be read: it has a line of more than {LONGEST_LINE} bytes."
                )
        if rest.strip():
            yield rest


def _refuse_array(path: Path, start: bytes) -> None:
    if start.lstrip().startswith(b"["):
        raise RatingsError(
            f"{path} cannot be read: it is a JSON list instead of one object per line. Read it with"
            " pandas.read_json, or write one object per line, for example with jq -c '.[]'."
        )

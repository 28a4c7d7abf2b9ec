"""Write ratings to files of every format."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pa_csv = pytest.importorskip("pyarrow.csv")
parquet = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")


def decoded(table: Any) -> Any:
    """Return a table with its dictionaries decoded, because CSV cannot represent them."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(dict(zip(table.column_names, columns)))


def write_csv(table: Any, path: Path) -> None:
    pa_csv.write_csv(decoded(table), path)


def write_csv_gz(table: Any, path: Path) -> None:
    plain = path.with_suffix("")
    write_csv(table, plain)
    path.write_bytes(gzip.compress(plain.read_bytes()))


def write_tsv(table: Any, path: Path) -> None:
    pa_csv.write_csv(decoded(table), path, pa_csv.WriteOptions(delimiter="\t"))


def write_txt(table: Any, path: Path) -> None:
    pa_csv.write_csv(decoded(table), path, pa_csv.WriteOptions(delimiter=";"))


def json_lines(table: Any) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in decoded(table).to_pylist()).encode()


def write_json_lines(table: Any, path: Path) -> None:
    path.write_bytes(json_lines(table))


def write_json_lines_gz(table: Any, path: Path) -> None:
    path.write_bytes(gzip.compress(json_lines(table)))


def most_rows(table: Any) -> int:
    """Return a batch size that splits a table into several batches, but not thousands."""
    return max(2, table.num_rows // 100)


def write_arrow_file(table: Any, path: Path) -> None:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=most_rows(table))


def write_arrow_stream(table: Any, path: Path) -> None:
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=most_rows(table))


WRITERS: dict[str, tuple[str, Callable[[Any, Path], None]]] = {
    "csv": ("ratings.csv", write_csv),
    "csv.gz": ("ratings.csv.gz", write_csv_gz),
    "tsv": ("RATINGS.TSV", write_tsv),
    "txt": ("ratings.txt", write_txt),
    "jsonl": ("ratings.jsonl", write_json_lines),
    "ndjson.gz": ("ratings.ndjson.gz", write_json_lines_gz),
    "parquet": ("ratings.parquet", parquet.write_table),
    "arrow file": ("ratings.arrow", write_arrow_file),
    "arrow stream": ("ratings.arrows", write_arrow_stream),
    "stream named arrow": ("ratings.arrow", write_arrow_stream),
    "feather": ("ratings.feather", feather.write_feather),
}


def text_file(tmp_path: Path, content: str | bytes, name: str = "ratings.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def counted(counts: Any) -> dict[tuple[Any, Any], int]:
    """Return how often each pair of labels occurs, without pairs that never occur."""
    labels = counts.labels.tolist()
    return {(labels[i], labels[j]): int(counts.table[i, j]) for i, j in np.argwhere(counts.table)}

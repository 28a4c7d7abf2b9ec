"""Count two columns of a file as the command line does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.files.two_columns import count_ratings as count
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_table import Columns


def count_ratings(path: Path, y1: str, y2: str, labels: Any = None, **options: Any) -> SourceCounts:
    reading = Reading.of(labels, options.pop("missing_codes", None))._replace(**options)
    return count(Source(str(path), (path,)), Columns(y1, y2), reading)

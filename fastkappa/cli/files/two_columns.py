"""Count the pairs in two columns of ratings, for the command line.

The file is read in batches, and only the requested columns are read.
"""

from __future__ import annotations

from typing import Any

from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import REMEDIES, Reading, refuse_times
from fastkappa.formatting import count_text
from fastkappa.multirater.ratings import Ratings
from fastkappa.sources.arrow_folders import count_files
from fastkappa.sources.source_counts import SourceCounts, finish, finish_groups
from fastkappa.sources.source_ratings import RatingsError, refuse_many_groups
from fastkappa.sources.source_table import Columns, Contents, SourceTable


def count_ratings(source: Source, columns: Columns, reading: Reading) -> SourceCounts:
    """Count the pairs of ratings in two columns of a source, one for each rater.

    Raises
    ------
    RatingsError
        If the file cannot be read, a column does not exist, ratings are missing or cannot be
        class labels, there are too many labels, or the ratings in the two columns cannot be
        compared.
    ImportError
        If pyarrow is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fastkappa.cli.files.opening import Source
    >>> from fastkappa.cli.files.reading import Reading
    >>> from fastkappa.cli.files.two_columns import count_ratings
    >>> from fastkappa.sources.source_table import Columns
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ratings.csv")
    ...     _ = path.write_text("left,right\\n0,1\\n2,2\\n")
    ...     counts = count_ratings(Source("r", (path,)), Columns("left", "right"), Reading())
    >>> counts.labels
    array([0, 1, 2])
    """
    return _read(source, columns, reading)[2]


def count_groups(source: Source, columns: Columns, reading: Reading) -> dict[Any, SourceCounts]:
    """Count the pairs of ratings of two raters in each group of rows.

    Groups are sorted, and all have the same labels. If missing ratings are dropped, the counts of
    rows without a group come last, under the key None. Otherwise, such rows raise an error.
    """
    contents, known, _ = _read(source, columns, reading)
    refuse_many_groups(len(contents.axes[0].labels()), columns.group)
    groups = finish_groups(contents, known)
    if None in groups and not reading.drop_missing:
        raise RatingsError(
            f"the group is missing in {count_text(groups[None].n_rows, 'row')} of column"
            f" {columns.group!r}. Use --missing drop to leave out these rows."
        )
    return groups


def _read(
    source: Source, columns: Columns, reading: Reading
) -> tuple[Contents, list[Any] | None, SourceCounts]:
    """Read a source, and return its contents, the known labels, and the counts of all rows."""
    table = SourceTable(
        columns,
        reading.wanted,
        codes=reading.codes,
        drop_odd=reading.drop_missing,
        remedies=REMEDIES,
    )
    count_files(table, source.files, reading.on_progress, source.text_format)
    if table.n_rows == 0:
        raise RatingsError(f"{source.name} has no rows.")
    contents = table.contents()
    counts = finish(contents)
    reading.refuse_missing(dict(zip(columns, counts.missing)), counts.n_rows)
    if counts.n_dropped == counts.n_rows:
        raise RatingsError(
            f"no rows are left, because all {counts.n_rows} rows of {source.name} have a missing"
            " rating."
        )
    for axis in contents.axes[1:]:
        refuse_times(axis.column, axis.dtype)
    known = reading.parsed(contents.dtype)
    if known is None:
        if contents.order is None:
            reading.on_sorted(counts.labels)
        return contents, None, counts
    return contents, known, finish(contents, known)


def pair_counts(ratings: Ratings) -> SourceCounts:
    """Return the table of counts for exactly two raters, with the numbers of items left out."""
    (table,), n_rated = ratings.rater_pairs("the table")
    n = ratings.n_subjects
    first, second = (n - n_rated).tolist()
    return SourceCounts(table, ratings.labels, 0, n, (first, second), n - int(table.sum()))

"""Columns of a source, read into memory: an item, a rater and a rating in each row."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastkappa.engines.arrow_columns import with_order
from fastkappa.engines.arrow_files import check_columns, columns_of_arrow, need_pyarrow
from fastkappa.engines.arrow_folders import columns_of_path
from fastkappa.engines.frames import collect_columns
from fastkappa.engines.ratings import RatingsError


def read_triples(
    source: Any, item: Any, rater: Any, rating: Any, cluster: Any = None
) -> tuple[Any, Any, Any, Any]:
    """Return the columns of items, raters and ratings of a source, and that of clusters or None.

    Parameters
    ----------
    source : path, data frame, table, dataset, relation or mapping
        As for `fastkappa.confusion_from_table`; engines and clusters send these columns alone.
    item, rater, rating, cluster : str
        The names of the columns; None for no clusters. Those of a text file are read as strings,
        but for the ratings.

    Returns
    -------
    item, rater, rating, cluster : array-likes of shape (n,)
        Columns of the source's library, which may declare an order of labels.

    Raises
    ------
    ValueError
        If a column is not there or is named twice, or if a file cannot be read.
    TypeError
        If the source is none of the above.
    ImportError
        If a library that reads the source is missing.
    """
    names = {"item": item, "rater": rater, "rating": rating}
    if cluster is not None:
        names["cluster"] = cluster
    for argument, name in names.items():
        if name is None or not isinstance(name, Hashable):
            raise TypeError(f"{argument} must be the name of a column of the source, got {name!r}.")
    if len(set(names.values())) < len(names):
        *others, last = names
        found = " and ".join(f"{argument}={name!r}" for argument, name in names.items())
        number = "three" if cluster is None else "four"
        raise RatingsError(f"{', '.join(others)} and {last} must be {number} columns, got {found}.")
    text = [name for argument, name in names.items() if argument != "rating"]
    columns = _columns(source, list(names.values()), text=text)
    clusters = None if cluster is None else columns[cluster]
    return columns[item], columns[rater], columns[rating], clusters


def _columns(source: Any, names: Sequence[Any], text: Sequence[Any]) -> Mapping[Any, Any]:
    """Return columns of any source by name; those of ``text`` are no numbers in a text file."""
    if isinstance(source, (str, os.PathLike)):
        return columns_of_path(Path(source), names, text=text)
    if isinstance(source, Mapping):
        check_columns("the mapping", names, list(source))
        return source
    library = type(source).__module__.partition(".")[0]
    if library == "pyarrow" and hasattr(source, "schema"):
        return columns_of_arrow(source, names)
    if library in ("pandas", "polars") and len(getattr(source, "shape", ())) == 2:
        check_columns("the frame", names, list(source.columns))
        return {name: source[name] for name in names}
    if library in ("dask", "dask_expr") and hasattr(source, "columns"):
        check_columns("the frame", names, list(source.columns))
        return _columns(source[list(names)].compute(), names, ())
    collected = collect_columns(source, names)
    if collected is not None:
        frame, orders = collected
        found = _columns(frame, names, ())
        return {name: with_order(found[name], orders[name]) for name in names}
    if hasattr(source, "__arrow_c_stream__"):
        pyarrow = need_pyarrow("frames", "an Arrow stream")
        return columns_of_arrow(pyarrow.RecordBatchReader.from_stream(source), names)
    raise TypeError(
        "source must be a path, a data frame, an Arrow table, dataset or stream, a relation or a"
        f" mapping of names to arrays, got {type(source)}; arrays are given as item=, rater= and"
        " rating= alone."
    )

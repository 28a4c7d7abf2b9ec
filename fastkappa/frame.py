"""Results as data frames."""

from __future__ import annotations

from typing import Any

from fastkappa.exceptions import library_needed


def data_frame(columns: dict[str, Any], index: tuple[str, list[Any]] | None = None) -> Any:
    """Return a pandas DataFrame of columns, with an index of a name and entries if given."""
    with library_needed("to_frame", "pandas", "pandas"):
        import pandas
    rows = None if index is None else pandas.Index(index[1], name=index[0])
    return pandas.DataFrame(columns, index=rows)

"""Results as data frames."""

from __future__ import annotations

from typing import Any


def data_frame(columns: dict[str, Any], index: tuple[str, list[Any]] | None = None) -> Any:
    """Return a pandas DataFrame of columns, with an index of a name and entries if given."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_frame needs pandas: install it with: pip install pandas") from error
    rows = None if index is None else pandas.Index(index[1], name=index[0])
    return pandas.DataFrame(columns, index=rows)

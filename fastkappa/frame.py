"""Convert results to pandas data frames."""

from __future__ import annotations

from typing import Any

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import library_needed


def data_frame(columns: dict[str, Any], index: tuple[str, list[Any]] | None = None) -> Any:
    """Return a pandas DataFrame. ``index`` is a pair: the name of the index, and its entries."""
    with library_needed("to_frame", "pandas", "fastkappa[pandas]"):
        import pandas
    rows = None if index is None else pandas.Index(index[1], name=index[0])
    return pandas.DataFrame(columns, index=rows)


def frame_of_figures(rows: list[tuple[str, float]]) -> Any:
    """Return a pandas DataFrame with the column ``value`` and one row per named number."""
    names, values = zip(*rows)
    return data_frame({"value": values}, ("statistic", list(names)))


def frame_of_estimate(
    value: float, standard_error: float, interval: tuple[float, float], **others: Any
) -> Any:
    """Return a one-row pandas DataFrame with an estimate, its standard error and its interval."""
    columns = {
        "value": value,
        "standard_error": standard_error,
        "lower": interval[0],
        "upper": interval[1],
        **others,
    }
    return data_frame({name: [figure] for name, figure in columns.items()})


def frame_of_counts(table: AnyArray, labels: AnyArray, raters: tuple[str, str]) -> Any:
    """Return a confusion matrix as a pandas DataFrame in the layout of `pandas.crosstab`."""
    with library_needed("to_frame", "pandas", "fastkappa[pandas]"):
        import pandas
    first, second = (pandas.Index(labels, name=name) for name in raters)
    return pandas.DataFrame(table, index=first, columns=second)

"""Read estimates and intervals from results, and write them as text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.formatting import figure
from fastkappa.statistics.weights import weights_text

ESTIMATES = ("kappa", "value", "estimate")


class Row(NamedTuple):
    """An estimate with its interval and name. Undefined values are NaN."""

    name: str
    estimate: float
    low: float
    high: float


class Rows(NamedTuple):
    """The estimates to draw, what they measure, and the confidence level they share, if any."""

    rows: list[Row]
    what: str = "kappa"
    confidence: float | None = None


def read_rows(results: Any, intervals: Any, names: Any) -> Rows:
    """Read rows from several results, from a result with many rows, or from an array of estimates.

    Raises
    ------
    ValueError
        If there are no rows, if a result has no estimate or no interval, or if lengths differ.
    """
    found = _read(results, intervals, names)
    if not found.rows:
        raise ValueError("results must not be empty.")
    for row in found.rows:
        if row.low > row.high:
            raise ValueError(
                f"the interval of {row.name!r} must have its lower limit first, got"
                f" ({row.low}, {row.high})."
            )
    return found


def _read(results: Any, intervals: Any, names: Any) -> Rows:
    many = _many(results)
    is_named = many is not None or isinstance(results, Mapping)
    if is_named and not (intervals is None and names is None):
        raise ValueError(
            "intervals and names can be given only if results is an array of estimates, got a"
            f" {type(results).__name__}."
        )
    if many is not None:
        return many
    if isinstance(results, Mapping):
        named = {_name_text(name): result for name, result in results.items()}
        if hasattr(results, "pooled") and not getattr(results, "repeats_items", False):
            named["all items"] = results.pooled
        return _rows_of(list(named), list(named.values()))
    listed = results if isinstance(results, (list, tuple)) and not _is_one(results) else [results]
    if not any(map(_is_one, listed)):
        return _rows_of_arrays(results, intervals, names)
    if intervals is not None:
        raise ValueError(
            "intervals can be given only if results is an array of estimates, because result"
            " objects have their own intervals."
        )
    if _is_one(results) and names is None:
        return _rows_of([_what(results)], listed)
    return _rows_of(_read_names(names, len(listed)), listed)


def _is_one(result: Any) -> bool:
    return hasattr(result, "interval")


def _many(results: Any) -> Rows | None:
    """Return the rows of a result that has many rows, or None for other results."""
    if isinstance(results, Rows):
        return results
    if hasattr(results, "rater_names") and hasattr(results, "values"):
        pairs = np.argwhere(np.triu(np.ones_like(results.values), 1)).tolist()
        raters = results.rater_names
        rows = [
            Row(
                f"{raters[i]}, {raters[j]}",
                *(float(part[i, j]) for part in (results.values, results.lower, results.upper)),
            )
            for i, j in pairs
        ]
        return Rows(rows, with_weights("kappa", results), results.confidence)
    if hasattr(results, "with_others"):
        found = results.with_others
        figures = zip(found.values.tolist(), found.lower.tolist(), found.upper.tolist())
        rows = [Row(name, *row) for name, row in zip(results.rater_names, figures)]
        return Rows(rows, with_weights("kappa", results), results.confidence)
    if np.ndim(getattr(results, "interval", ())) == 2:
        rows = [
            Row(str(name), float(kappa), float(low), float(high))
            for name, kappa, (low, high) in zip(results.names, results.kappa, results.interval)
        ]
        return Rows(rows, with_weights("kappa", results), results.confidence)
    if hasattr(results, "forms"):
        named = _rows_of([form.form for form in results.forms], results.forms)
        return named._replace(what="intraclass correlation")
    return None


def _rows_of(names: list[str], results: Sequence[Any]) -> Rows:
    rows = [Row(name, *read_estimate(name, result)) for name, result in zip(names, results)]
    kinds = {_what(result) for result in results}
    what = kinds.pop() if len(kinds) == 1 else "agreement"
    confidences = {getattr(result, "confidence", None) for result in results}
    return Rows(
        rows,
        with_weights(what, *results),
        confidences.pop() if len(confidences) == 1 else None,
    )


def with_weights(what: str, *results: Any) -> str:
    """Append the weights to the name of the estimate, if all results have the same weights."""
    used = {weights_text(getattr(result, "weights", None)) for result in results}
    (text,) = used if len(used) == 1 else ("no weights",)
    # Names such as "Krippendorff's alpha (ordinal)" contain the weights.
    return what if text == "no weights" or what.endswith(")") else f"{what} ({text})"


def _rows_of_arrays(results: Any, intervals: Any, names: Any) -> Rows:
    estimates = np.asarray(results, dtype=np.float64)
    if estimates.ndim != 1:
        raise ValueError(f"results must be one-dimensional, got shape {estimates.shape}.")
    ends = np.asarray(intervals, dtype=np.float64)
    if ends.shape != (len(estimates), 2):
        raise ValueError(
            f"intervals must have shape ({len(estimates)}, 2), one row per estimate,"
            f" got {ends.shape}."
        )
    rows = [
        Row(name, float(estimate), float(low), float(high))
        for name, estimate, (low, high) in zip(_read_names(names, len(estimates)), estimates, ends)
    ]
    return Rows(rows)


def _read_names(names: Any, n_rows: int) -> list[str]:
    if names is not None and (isinstance(names, str) or len(names) != n_rows):
        raise ValueError(f"names must have one entry per estimate ({n_rows}), got {names!r}.")
    return [_name_text(name) for name in (range(n_rows) if names is None else names)]


def _name_text(name: Any) -> str:
    return (
        ", ".join(map(str, name))
        if isinstance(name, Sequence) and not isinstance(name, str)
        else str(name)
    )


def _what(result: Any) -> str:
    """Return the name of a result's estimate, which is "kappa" by default."""
    if hasattr(result, "kappas"):
        return "difference of kappas"
    if hasattr(result, "replicates"):
        return "value"
    if hasattr(result, "form"):
        return str(result.form)
    return str(result.method) if hasattr(result, "n_raters") else "kappa"


def read_estimate(name: str, result: Any) -> tuple[float, float, float]:
    """Return the estimate of a result and both limits of its interval."""
    held = [attribute for attribute in ESTIMATES if hasattr(result, attribute)]
    if not held or not hasattr(result, "interval"):
        raise ValueError(
            f"the result {name!r} must have an 'interval' attribute and a 'kappa' or 'value'"
            f" attribute, got {type(result).__name__}."
        )
    low, high = result.interval
    return float(getattr(result, held[0])), float(low), float(high)


def write_figures(estimate: float, low: float, high: float) -> str:
    """Return an estimate with its interval as text."""
    if math.isnan(estimate):
        return "undefined"
    minus = "\N{MINUS SIGN}"
    between = ", ".join(figure(end, digits=3) for end in (low, high))
    ends = f"  [{between}]" if not math.isnan(low + high) else "  no interval"
    return f"{figure(estimate, digits=3)}{ends}".replace("-", minus)

"""Use cut points to assign labels to the new scores in a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import Reading
from fastkappa.formatting import count_text
from fastkappa.ratings.missing import find_missing
from fastkappa.results.csv_rows import as_csv
from fastkappa.sources.arrow_files import column_names
from fastkappa.sources.arrow_folders import columns_of_files
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.thresholds.rounding import places_at_thresholds

PREDICTED = "predicted"


class Cuts(NamedTuple):
    """Labels, the cut points between them, and the name of the score column."""

    labels: list[Any]
    thresholds: AnyArray
    score: str


def read_cuts(path: Path, score: str | None) -> Cuts:
    """Read cut points that ``fastkappa thresholds --format json`` printed.

    ``score`` is the name of the column of new scores. If None, this column has the same name as the
    column used to find the cut points.

    Raises
    ------
    RatingsError
        If the file cannot be read, or contains no cut points.
    """
    try:
        saved = json.loads(path.read_text(encoding="utf-8-sig"))
        labels = saved["labels"]
        thresholds = np.array([float(cut) for cut in saved["thresholds"]])
        column = str(saved["columns"]["score"]) if score is None else score
    except OSError as error:
        raise RatingsError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
        raise RatingsError(
            f"{path} is not a file of cut points from `fastkappa thresholds --format json`"
            f" ({type(error).__name__}: {error})."
        ) from error
    # Comparisons with NaN are false, so NaN is checked separately.
    ascend = bool((thresholds[1:] >= thresholds[:-1]).all() and not np.isnan(thresholds).any())
    if not isinstance(labels, list) or len(labels) != len(thresholds) + 1 or not ascend:
        raise RatingsError(
            f"{path} must have ascending cut points, and one more label than cut points, got labels"
            f" {short_repr(labels)} and cut points {short_repr(thresholds.tolist())}."
        )
    odd = [label for label in labels if not isinstance(label, (str, int, float))]
    if odd:
        raise RatingsError(
            f"the labels in {path} must be strings or numbers, got {short_repr(odd)}."
        )
    return Cuts(labels, thresholds, column)


def with_labels(
    source: Source, cuts: Cuts, reading: Reading, on_left_out: Callable[[str], None]
) -> str:
    """Return a file as CSV text with an added column that contains the label of each row.

    Raises
    ------
    RatingsError
        If the file cannot be read, lacks the score column, or already has a column named
        'predicted'.
    """
    names = column_names(source.files[0], source.text_format)
    if PREDICTED in names:
        raise RatingsError(
            f"{source.name} already has a column {PREDICTED!r}: rename or remove it."
        )
    found = reading.columns(source, [], scores=[cuts.score])[cuts.score]
    columns = columns_of_files(
        source.files, names, text=names, text_format=source.text_format, as_written=True
    )
    mask = find_missing(found)
    kept = np.ones(len(found), bool) if mask is None else ~mask
    n_missing = int((~kept).sum())
    reading.refuse_missing({cuts.score: n_missing}, len(found), what="scores", advice="")
    if n_missing:
        on_left_out(
            f"{count_text(n_missing, 'row')} of {source.name} left out because the score is"
            " missing."
        )
    try:
        places = places_at_thresholds(found.filter(kept), cuts.thresholds)
    except (ValueError, TypeError) as error:
        raise RatingsError(f"column {cuts.score!r} of {source.name}: {error}") from error
    given = zip(*(columns[name].filter(kept).to_pylist() for name in names))
    rows = ((*row, cuts.labels[place]) for row, place in zip(given, places.tolist()))
    return as_csv([*names, PREDICTED], rows, n_given=len(names))

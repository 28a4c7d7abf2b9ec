"""The item files that ``fastkappa agree`` writes: disputed items and final labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.cli.files.raters import RatersRead
from fastkappa.cli.final_labels import ITEM, final_labels
from fastkappa.cli.reports.output import Section
from fastkappa.formatting import set_text
from fastkappa.multirater.disputed import MOST_SHOWN, disputed_items
from fastkappa.results.csv_rows import as_csv
from fastkappa.results.report import Report
from fastkappa.statistics.weights import Weights

Files = list[tuple[Path, str]]


def of_items(request: AgreeRequest, read: RatersRead, weights: Weights) -> tuple[Section, Files]:
    """Return a section on the most disputed items, and the item files to write."""
    whole, names = read.whole, read.items
    most = None if request.disputed is not None else MOST_SHOWN
    found = disputed_items(whole, weights=weights, most=most)
    if read.columns.rating is None:
        # Users count the rows of a file from 1.
        found = replace(found, items=found.items + 1 if names is None else names[found.items])
    fields: dict[str, Any] = {"n_disputed": found.n_disputed, "disputed": found.most(MOST_SHOWN)}
    reports, files = [found._report()], []
    if request.disputed is not None:
        joined = {} if request.set_separator is None else {"set_separator": request.set_separator}
        files.append((request.disputed, found.to_csv(**joined)))
    if request.gold is not None:
        items = list(range(1, whole.n_subjects + 1)) if names is None else names.tolist()
        final = final_labels(read, list(map(str, items)), request.decisions, request.set_separator)
        labels = [_text_of(label, request.set_separator or "") for label in final.labels]
        head = [read.columns.item or ITEM, read.columns.rating or "label", "decided_by"]
        rows = zip(items, labels, final.decided_by)
        files.append((request.gold, as_csv(head, rows, n_given=1)))
        fields |= {"gold": final.counts(), "n_decided_against_all": final.n_against_all}
        reports.append(Report(final.lines()))
    return Section(reports, fields), files


def _text_of(label: Any, separator: str) -> Any:
    """Return a label as text for a file, joining the labels of a set."""
    return set_text(label, separator) if isinstance(label, frozenset) else label

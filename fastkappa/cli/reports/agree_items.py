"""The item files that ``fastkappa agree`` writes: disputed items and final labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fastkappa.choices import did_you_mean
from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.raters import RatersRead
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.reports.output import Section
from fastkappa.formatting import count_text, label_text
from fastkappa.multirater.disputed import MOST_SHOWN, disputed_items
from fastkappa.multirater.ratings import Ratings
from fastkappa.results.csv_rows import as_csv
from fastkappa.results.report import Report
from fastkappa.statistics.weights import Weights

# The columns with the items and the decisions in a file of disputed items.
ITEM, DECISION = "item", "adjudicated"
# The ways in which the final label of an item can be decided.
DECIDED_BY = ("all raters", "majority", "one rater", "adjudication", "")
BY_ALL, BY_MAJORITY, BY_ONE, BY_DECISION, OPEN = DECIDED_BY

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
        items = range(1, whole.n_subjects + 1) if names is None else names.tolist()
        unknown = "which is not in --labels."
        if not read.labels_are_given:
            unknown = "which no rater gave. To use it, name all labels in --labels."
        labels, decided_by = final_labels(whole, list(map(str, items)), request.decisions, unknown)
        head = [read.columns.item or ITEM, read.columns.rating or "label", "decided_by"]
        files.append((request.gold, as_csv(head, zip(items, labels, decided_by), n_given=1)))
        counts = Counter(decided_by)
        fields["gold"] = {how or "undecided": counts[how] for how in DECIDED_BY}
        parts = [f"{counts[how]} by {how}" for how in DECIDED_BY if how and counts[how]]
        parts += [f"{counts[OPEN]} undecided"] if counts[OPEN] else []
        reports.append(Report([f"labels of {count_text(len(labels), 'item')}: {', '.join(parts)}"]))
    return Section(reports, fields), files


def decisions(source: Source, reading: Reading) -> dict[str, str]:
    """Return the decisions in a file of disputed items, by item."""
    columns = [ITEM, DECISION]
    found = reading.columns(source, [DECISION], [ITEM], text=columns)
    pairs = zip(*(found[name].to_pylist() for name in columns))
    return {item: label for item, label in pairs if item is not None and label is not None}


def final_labels(
    ratings: Ratings, items: list[str], decisions: Mapping[str, str], unknown: str
) -> tuple[list[Any], list[str]]:
    """Return the final label of each item (None if undecided) and how it was decided.

    A decision takes precedence over the label that more than half of the item's raters gave.
    ``unknown`` ends the error text for a decision that is not one of the labels.

    Raises
    ------
    ValueError
        If a decision is about an unknown item, or is not one of the labels.
    """
    patterns = ratings.counted.patterns
    n, most = patterns.n_ratings, patterns.counts.max(axis=1)
    how = np.select(
        [(n == 1), most == n, 2 * most > n], [BY_ONE, BY_ALL, BY_MAJORITY], default=OPEN
    )
    best = ratings.labels[patterns.counts.argmax(axis=1)].tolist()
    of_patterns = [label if by else None for label, by in zip(best, how.tolist())]
    # Items without ratings have index -1, which selects the last entry, so None and OPEN are
    # appended.
    places = ratings.counted.places(False).tolist()
    of_rows, how_of_rows = [*of_patterns, None], [*how.tolist(), OPEN]
    labels, decided_by = [of_rows[i] for i in places], [how_of_rows[i] for i in places]
    position = {item: i for i, item in enumerate(items)}
    known = {label_text(label): label for label in ratings.labels.tolist()}
    for item, decision in decisions.items():
        if item not in position:
            raise ValueError(
                f"--adjudicated has the item {item!r}, which is not among the rated items."
            )
        if decision.strip() not in known:
            raise ValueError(
                f"--adjudicated has the label {decision!r} for item {item!r},"
                f" {unknown}{did_you_mean(decision, list(known))}"
            )
        labels[position[item]] = known[decision.strip()]
        decided_by[position[item]] = BY_DECISION
    return labels, decided_by

"""Determine the final label of each item, by vote or by a decision in a file (``--gold``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from fastkappa.choices import did_you_mean
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.raters import RatersRead
from fastkappa.cli.files.reading import Reading
from fastkappa.formatting import count_text, label_text
from fastkappa.multirater.ratings import Ratings
from fastkappa.sources.arrow_columns import labels_in

# The columns with the items and the decisions in a file of disputed items.
ITEM, DECISION = "item", "adjudicated"
# The ways in which the final label of an item can be decided.
DECIDED_BY = ("all raters", "majority", "one rater", "adjudication", "")
BY_ALL, BY_MAJORITY, BY_ONE, BY_DECISION, OPEN = DECIDED_BY


class FinalLabels(NamedTuple):
    """The label of each item and how it was decided: None and "" for undecided items.

    ``n_against_all`` is the number of decisions against the label of all raters of an item.
    """

    labels: list[Any]
    decided_by: list[str]
    n_against_all: int = 0

    def counts(self) -> dict[str, int]:
        """Return the number of items for each way in which labels were decided."""
        counts = Counter(self.decided_by)
        return {how or "undecided": counts[how] for how in DECIDED_BY}

    def lines(self) -> list[str]:
        """Return lines about the final labels for a report."""
        parts = [
            f"{n} {how if how == 'undecided' else f'by {how}'}"
            for how, n in self.counts().items()
            if n
        ]
        lines = [f"labels of {count_text(len(self.labels), 'item')}: {', '.join(parts)}"]
        if self.n_against_all:
            lines.append(
                f"decisions against the label of all raters: {self.n_against_all}. Check that the"
                " ratings have not changed since"
            )
        return lines


def decisions(source: Source, reading: Reading) -> dict[str, str]:
    """Return the decisions in a file of disputed items, by item.

    Raises
    ------
    ValueError
        If an item has two different decisions.
    """
    columns = [ITEM, DECISION]
    read = reading.columns(source, [DECISION], [ITEM], text=columns)
    found: dict[str, str] = {}
    for item, label in zip(*(read[name].to_pylist() for name in columns)):
        if item is None or label is None:
            continue
        first = found.setdefault(item, label.strip())
        if first != label.strip():
            raise ValueError(
                f"--adjudicated has two decisions for item {item!r}, {first!r} and"
                f" {label.strip()!r}: leave one of them out."
            )
    return found


def final_labels(
    read: RatersRead, items: list[str], texts: Mapping[str, str], separator: str | None
) -> FinalLabels:
    """Return the final labels of items, given the texts of decisions.

    A decision takes precedence over the label that more than half of the item's raters gave. With a
    separator, labels are sets.

    Raises
    ------
    ValueError
        If a decision is about an unknown item, or is not one of the labels.
    """
    labels, decided_by = votes(read.whole)
    position = {item: i for i, item in enumerate(items)}
    given = read.whole.labels.tolist()
    # A decision can be a set that no rater gave, if all labels in the set occur.
    known = {label_text(x): x for x in (given if separator is None else chain(*given))}
    n_against_all = 0
    for item, text in texts.items():
        if item not in position:
            raise ValueError(
                f"--adjudicated has the item {item!r}, which is not among the rated items."
            )
        names = [text] if separator is None else labels_in(text, separator) or []
        for name in names:
            if name not in known:
                raise ValueError(
                    f"--adjudicated has the label {name!r} for item {item!r},"
                    f" {_unknown(read, separator)}{did_you_mean(name, list(known))}"
                )
        i = position[item]
        decision = known[text] if separator is None else frozenset(known[name] for name in names)
        n_against_all += decided_by[i] == BY_ALL and labels[i] != decision
        labels[i], decided_by[i] = decision, BY_DECISION
    return FinalLabels(labels, decided_by, n_against_all)


def votes(ratings: Ratings) -> tuple[list[Any], list[str]]:
    """Return the label that more than half of an item's raters gave, and how it was decided."""
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
    return [of_rows[i] for i in places], [how_of_rows[i] for i in places]


def _unknown(read: RatersRead, separator: str | None) -> str:
    if read.labels_are_given:
        return "which is not in --labels."
    remedy = " To use it, name all labels in --labels." if separator is None else ""
    return f"which no rater gave.{remedy}"

"""Create the files of items that ``fastkappa agree`` writes: disputed items and final labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.cli.files.opening import DECIDED, Source
from fastkappa.cli.files.raters import RatersRead
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.reports.output import Section
from fastkappa.formatting import count_text, label_text, set_text
from fastkappa.multirater.disputed import MOST_SHOWN, disputed_items
from fastkappa.multirater.ratings import Ratings
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.ratings.label_order import nearest_label
from fastkappa.ratings.looks import look_of
from fastkappa.results.csv_rows import as_csv
from fastkappa.results.report import Report
from fastkappa.sources.arrow_columns import labels_in
from fastkappa.sources.arrow_files import column_names
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.statistics.weights import Weights

# The names of columns in a file of disputed items. The raters' columns are between DISAGREEMENT and
# MAJORITY.
ITEM, DECISION = "item", "adjudicated"
DISAGREEMENT, MAJORITY = "disagreement", "majority"
# The ways in which the final label of an item can be decided.
DECIDED_BY = ("all raters", "majority", "one rater", "adjudication", "")
BY_ALL, BY_MAJORITY, BY_ONE, BY_DECISION, OPEN = DECIDED_BY

Files = list[tuple[Path, str]]


def of_items(
    request: AgreeRequest, read: RatersRead, weights: Weights
) -> tuple[Section, list[Section], Files]:
    """Return a section on the most disputed items, the final sections, and the item files to write.

    The final sections are a list. It is empty, or contains a section on the final labels if they
    are written to a file.
    """
    whole, names = read.whole, read.items
    most = None if request.disputed is not None else MOST_SHOWN
    found = disputed_items(whole, weights=weights, most=most)
    if read.columns.rating is None:
        # Users count the rows of a file from 1.
        found = replace(found, items=found.items + 1 if names is None else names[found.items])
    fields: dict[str, Any] = {"n_disputed": found.n_disputed, "disputed": found.most(MOST_SHOWN)}
    last, files = [], []
    if request.disputed is not None:
        joined = {} if request.set_separator is None else {"set_separator": request.set_separator}
        files.append((request.disputed, found.to_csv(**joined)))
    if request.gold is not None:
        items = list(range(1, whole.n_subjects + 1)) if names is None else names.tolist()
        final = final_labels(read, list(map(str, items)), request.decisions, request.set_separator)
        labels = [_text_of(label, request.set_separator or "") for label in final.labels]
        head = [read.columns.item or ITEM, read.columns.rating or "label", DECIDED]
        rows = zip(items, labels, final.decided_by)
        files.append((request.gold, as_csv(head, rows, n_given=1)))
        counts = {
            "gold": final.counts(),
            "n_decided_against_all": final.n_against_all,
            "n_unrated": final.n_unrated,
        }
        last.append(Section([Report(final.lines())], counts))
    return Section([found._report()], fields), last, files


def _text_of(label: Any, separator: str) -> Any:
    """Return a label as text for a file. If it is a set of labels, join them."""
    return set_text(label, separator) if isinstance(label, frozenset) else label


class FinalLabels(NamedTuple):
    """The final label of each item, and how it was decided. Undecided items have None and "".

    ``n_against_all`` is the number of decisions for a label that no rater gave the item.
    ``n_unrated`` is the number of undecided items without a rating.
    """

    labels: list[Any]
    decided_by: list[str]
    n_against_all: int = 0
    n_unrated: int = 0

    def counts(self) -> dict[str, int]:
        """Count the items by how their labels were decided."""
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
        if self.n_unrated:
            lines.append(f"undecided items without a rating: {self.n_unrated}")
        if self.n_against_all:
            lines.append(
                f"decisions for a label that no rater gave the item: {self.n_against_all}. Check"
                " that each decision is in the row of its item, and that the ratings are the same"
                " as in the run with --disputed"
            )
        return lines


def decisions(source: Source, reading: Reading) -> dict[str, str]:
    """Return the decision for each item in a file of disputed items.

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
                f"--adjudicated contains two decisions for item {item!r}, {first!r} and"
                f" {label.strip()!r}. Remove one of them."
            )
    return found


def warn_of_other_raters(source: Source, raters: Sequence[str]) -> None:
    """Warn if the raters differ from those in a file of disputed items.

    The majority label of an item depends on the raters.
    """
    names = column_names(source.files[0], source.text_format)
    if DISAGREEMENT not in names or DECISION not in names:
        return
    last = MAJORITY if MAJORITY in names else DECISION
    there = names[names.index(DISAGREEMENT) + 1 : names.index(last)]
    # In the file, names that look like formulas begin with a quote, which is removed here.
    voting, found = ({name.removeprefix("'") for name in some} for some in (raters, there))
    parts = {"file": found - voting, "ratings": voting - found}
    unlike = [f"Only in the {of}: {', '.join(sorted(some))}." for of, some in parts.items() if some]
    if found and unlike:
        warn(
            f"the raters differ from those in {source.name}. {' '.join(unlike)} The"
            " majority depends on the raters, so use the same --raters as in the run with"
            " --disputed."
        )


def refuse_decisions(source: Source, reading: Reading) -> None:
    """Raise if a file that the command would overwrite contains decisions."""
    try:
        n = len(decisions(source, reading))
    except RatingsError:
        return  # A file without the columns of disputed items contains no decisions.
    if n:
        raise ValueError(
            f"--disputed would overwrite {source.name}, which contains"
            f" {count_text(n, 'decision')}. Name another file."
        )


def final_labels(
    read: RatersRead, items: list[str], texts: Mapping[str, str], separator: str | None
) -> FinalLabels:
    """Return the final labels of items. ``texts`` contains the decisions.

    A decision takes precedence over the label that more than half of the item's raters gave. If a
    separator is given, each label is a set.

    Raises
    ------
    ValueError
        If a decision names an unknown item or an unknown label.
    """
    labels, decided_by = votes(read.whole)
    position = {item: i for i, item in enumerate(items)}
    given = read.whole.labels.tolist()
    # A decision can be a set that no rater gave, provided that each of its labels was given by some
    # rater.
    known = {label_text(x): x for x in (given if separator is None else chain(*given))}
    counts, places = read.whole.counted.patterns.counts, read.whole.counted.places(False)
    n_against_all = 0
    for item, text in texts.items():
        if item not in position:
            raise ValueError(
                f"--adjudicated contains item {item!r}, which is not among the rated items."
                f"{_changed(item, items)}"
            )
        names = [text] if separator is None else labels_in(text, separator) or []
        for name in names:
            if name not in known:
                raise ValueError(
                    f"in --adjudicated, item {item!r} has the label {name!r},"
                    f" {_unknown(read, separator)}{nearest_label(repr(name), known)}"
                )
        i = position[item]
        decision = known[text] if separator is None else frozenset(known[name] for name in names)
        # If raters give different sets, the decision can combine labels from several of them. The
        # decision therefore contradicts all raters only if they all gave the same set and the
        # decision differs from that set.
        n_against_all += (
            not counts[places[i], given.index(decision)]
            if separator is None and places[i] >= 0
            else decided_by[i] == BY_ALL and labels[i] != decision
        )
        labels[i], decided_by[i] = decision, BY_DECISION
    is_open = np.array(decided_by) == OPEN
    return FinalLabels(labels, decided_by, n_against_all, int(((places < 0) & is_open).sum()))


def _changed(item: str, items: Sequence[str]) -> str:
    """Return a hint that names a rated item with a similar id, such as 007 for 7.0, or ""."""
    alike = next((one for one in items if look_of(one) == look_of(item)), None)
    if alike is None:
        return ""
    return (
        f" Did you mean {alike!r}? Spreadsheets change ids unless the column is formatted as text."
    )


def votes(ratings: Ratings) -> tuple[list[Any], list[str]]:
    """Return each item's majority label, or None without a majority, and how it was decided."""
    patterns = ratings.counted.patterns
    n, most = patterns.n_ratings, patterns.counts.max(axis=1)
    how = np.select(
        [(n == 1), most == n, 2 * most > n], [BY_ONE, BY_ALL, BY_MAJORITY], default=OPEN
    )
    best = ratings.labels[patterns.counts.argmax(axis=1)].tolist()
    of_patterns = [label if by else None for label, by in zip(best, how.tolist())]
    # The index -1 of items without ratings selects the last entry, so None and OPEN are appended.
    places = ratings.counted.places(False).tolist()
    of_rows, how_of_rows = [*of_patterns, None], [*how.tolist(), OPEN]
    return [of_rows[i] for i in places], [how_of_rows[i] for i in places]


def _unknown(read: RatersRead, separator: str | None) -> str:
    if read.labels_are_given:
        return "which is not in --labels."
    remedy = " To use it, name all labels in --labels." if separator is None else ""
    return f"which no rater gave.{remedy}"

"""The command ``fastkappa score``."""

from __future__ import annotations

from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastkappa.cli.gate import Gate
from fastkappa.cli.options import (
    RENAME,
    Format,
    FormatName,
    InputFile,
    Labels,
    MissingCodes,
    MissingName,
    TextOptions,
    WeightMatrixFile,
    WeightsName,
)
from fastkappa.cli.remarks import Remarks, depends, errors_printed, read_matrix

if TYPE_CHECKING:
    from fastkappa.cli.files.saved_counts import SavedCounts

WITH_INTERVAL = ("sentence", "json")
NO_INTERVAL = (
    "kappa has no interval, because the item weights are not whole numbers. For a bootstrap"
    " interval, use fastkappa leaderboard --sample-weight."
)


def score(
    file: InputFile,
    y1: str,
    y2: str,
    weights: WeightsName = "none",
    weight_matrix: WeightMatrixFile = None,
    sample_weight: str | None = None,
    labels: Labels = None,
    missing: MissingName = "raise",
    missing_codes: MissingCodes = None,
    save: Path | None = None,
    *,
    gate: Gate,
    text: TextOptions,
    output: Format = "text",
) -> None:
    """Score the agreement of two columns of ratings.

    Print the table of counts, the number of items n, all three kappas and, for the
    unweighted kappa, the observed and expected agreement, p_o and p_e. If labels are
    words in alphabetical order, weighted kappas are printed only with --weights.

    Parameters
    ----------
    y1 : COLUMN
        The first rater's column.
    y2 : COLUMN
        The second rater's column.
    weights : WORD
        The weights of the kappa to print first: none, linear or quadratic. All three kappas are
        computed in any case.
    sample_weight : COLUMN
        The column of item weights. If all weights are whole numbers, they count as numbers of
        items: a row with weight 3 is treated as three items. With other weights, no interval is
        computed. By default, each row has weight 1.
    missing
        What to do with rows with a missing rating: stop with an error (raise), or leave the rows
        out (drop). In CSV and TSV files, an empty field, NA, NaN, null and similar strings count as
        missing, unless they are in --labels.
    save : FILE
        Write the counts to a file. 'fastkappa merge' adds the counts of several files.

    Examples
    --------
    fastkappa score ratings.csv --y1 ann --y2 ben

    fastkappa score r.csv --y1 ann --y2 ben --weights linear --labels low,mid,high

    fastkappa score r.txt --y1 2 --y2 3 --sep ';' --no-header --missing drop

    zcat ratings.csv.gz | fastkappa score - --y1 ann --y2 ben --format json

    fastkappa score part1.csv --y1 ann --y2 ben --save part1.json
    """
    from fastkappa.cli.files.opening import STANDARD_INPUT, opened_inputs
    from fastkappa.cli.files.reading import Reading
    from fastkappa.cli.files.saved_counts import SavedCounts
    from fastkappa.cli.files.two_columns import count_ratings
    from fastkappa.cli.progress import progress_bar
    from fastkappa.cli.reports.picture import write_file
    from fastkappa.sources.source_table import Columns

    with errors_printed() as remarks, opened_inputs(text) as opener:
        opener.writes(save=save)
        source = opener.source(file)
        gate.check_options()
        if y1 == y2:
            raise ValueError(
                f"--y1 and --y2 must name different columns, got {y1!r} twice.{RENAME}"
            )
        matrix = read_matrix(weight_matrix, weights, opener)
        remarks.depends = [depends(weights, matrix)]
        reading = Reading.of(labels, missing_codes, missing, remarks.sorted_labels.append)
        remarks.given_labels = reading.labels or ()
        with progress_bar(source.files) as bar:
            reading = reading._replace(on_progress=bar.starts(source.files[0]))
            counts = count_ratings(source, Columns(y1, y2, sample_weight), reading)
        are_sorted = bool(remarks.sorted_labels)
        path = source.name if source.name == STANDARD_INPUT else realpath(source.name)
        saved = SavedCounts(path, (y1, y2), sample_weight, are_sorted, counts)
        if save is not None:
            write_file(save, saved.to_json())
        print_counts(source.name, saved, matrix or weights, gate, output, remarks)


def print_counts(
    name: str,
    saved: SavedCounts,
    weights: Any,
    gate: Gate,
    output: FormatName,
    remarks: Remarks,
) -> None:
    """Print the report on a table of counts, and apply the gate to its kappa.

    ``name`` is the name of the source. ``weights`` is the name of a weighting scheme or a
    `WeightMatrix`.
    """
    from fastkappa.cli.reports.score import report_on_table
    from fastkappa.ratings.label_order import is_alphabetical

    # Alphabetical order is rarely the intended order of labels that are words, so weighted kappa is
    # printed for such labels only if weights are requested.
    are_words = any(len(own) > 2 and is_alphabetical(own) for own in remarks.sorted_labels)
    asked: Any = weights if isinstance(weights, str) else weights.of(saved.counts.labels)
    report = report_on_table(
        name,
        saved.columns,
        saved.counts,
        asked,
        saved.sample_weight,
        has_interval=gate.needs_interval
        or (output in WITH_INTERVAL and saved.counts.table.dtype.kind != "f"),
        is_ordered=not are_words or remarks.rely_on_order,
    )
    if output in WITH_INTERVAL and not gate.needs_interval and saved.counts.table.dtype.kind == "f":
        remarks.texts.append(NO_INTERVAL)
    remarks.show()
    remarks.write(report, output)
    gate.check(report.estimates)

"""The command ``fastkappa merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastkappa.cli.commands.score import print_counts
from fastkappa.cli.gate import Gate
from fastkappa.cli.options import Format, TextOptions, WeightMatrixFile, WeightsName
from fastkappa.cli.remarks import OF_SAVED, depends, errors_printed, read_matrix


def merge(
    files: Annotated[list[Path], typer.Argument()],
    weights: WeightsName = "none",
    weight_matrix: WeightMatrixFile = None,
    *,
    gate: Gate,
    output: Format = "text",
) -> None:
    """Add saved counts, and score the sum.

    First count each part of the ratings with 'fastkappa score --save'. The result is
    the same as for one file with all ratings.

    Parameters
    ----------
    files : FILE...
        Files written by 'fastkappa score --save', folders of such files, or patterns such as
        '*.json'.
    weights : WORD
        The weights of the kappa to print first: none, linear or quadratic. All three kappas are
        computed.

    Examples
    --------
    fastkappa score part1.csv --y1 ann --y2 ben --save part1.json

    fastkappa merge part1.json part2.json --weights linear

    fastkappa merge 'counts/*.json' --format sentence
    """
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.saved_counts import merge_counts

    with errors_printed() as remarks, opened_inputs(TextOptions()) as opener:
        remarks.remedy = OF_SAVED
        gate.check_options()
        matrix = read_matrix(weight_matrix, weights, opener)
        remarks.depends = [depends(weights, matrix)]
        name, saved = merge_counts(files)
        remarks.receive(saved.counts.labels, are_sorted=saved.are_sorted)
        print_counts(name, saved, matrix or weights, gate, output, remarks)

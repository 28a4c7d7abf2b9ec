"""The command ``fastkappa leaderboard``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from fastkappa.cli.options import (
    A_FILE,
    MissingCodes,
    MissingName,
    Replicates,
    TextOptions,
    WeightsName,
    scheme_named,
)
from fastkappa.cli.remarks import depends, errors_printed

SOME_NOT_SCORED = 1
# The names that errors and warnings use for the library's arguments.
NAMED = {"y_true": "the truth"}


def leaderboard(
    truth: Annotated[
        Path,
        typer.Argument(
            metavar="TRUTH",
            help=f"The true labels: {A_FILE[0].lower()}{A_FILE[1:]}, or - for the standard input.",
        ),
    ],
    submissions: Annotated[list[Path], typer.Argument()],
    id_column: Annotated[str, typer.Option("--id")],
    target: str,
    weights: WeightsName = "none",
    labels: list[str] | None = None,
    allow_other_labels: bool = False,
    missing: MissingName = "raise",
    missing_codes: MissingCodes = None,
    cluster: str | None = None,
    sample_weight: str | None = None,
    split: str | None = None,
    bootstrap: Replicates = 1000,
    mismatch: MissingName = "raise",
    min_coverage: Annotated[float, typer.Option(min=0, max=1)] = 1.0,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    name_pattern: str | None = None,
    *,
    text: TextOptions,
    output: Annotated[
        Literal["table", "json", "csv", "html", "sentence"], typer.Option("--format")
    ] = "table",
) -> None:
    """Rank files of predictions by their kappa with the truth.

    For each file, print its kappa with an interval, its difference from the leader with a
    paired interval, its ranks in the bootstrap replicates, and how often it ranks first. A
    file that cannot be scored has a row with the reason, and the exit status is then 1.

    Parameters
    ----------
    submissions : SUBMISSION...
        Files of predictions in the same formats as TRUTH, folders of such files, or patterns such
        as '*.csv'.
    id_column : COLUMN
        The column of the item ids.
    target : COLUMN
        The column of the labels.
    weights : WORD
        The kappa to rank by: none, linear or quadratic.
    labels : A,B,C
        The labels to use, in the order that the weights refer to. Items with any other true label
        are left out. The default is all labels that occur, sorted.
    allow_other_labels
        Score a submission that has labels outside --labels, and leave out the items with such
        labels. Beware: a submission can skip hard items this way.
    missing
        What to do with missing labels: stop with an error (raise), or leave the items out (drop).
        An item without a label in TRUTH is left out of all files. An item without a label in a
        submission counts as missing from the submission; see --mismatch. In CSV and TSV files, an
        empty field, NA, NaN, null and similar texts count as missing, unless --labels names them.
    cluster : COLUMN
        The column of TRUTH with the clusters of items, such as the patient of each image. The
        bootstrap then draws clusters.
    sample_weight : COLUMN
        The column of TRUTH with the item weights.
    split : COLUMN
        The column of TRUTH that divides the items into splits, such as public and private. Each
        split has its own ranks.
    bootstrap : N
        The number of bootstrap replicates; 0 for no intervals.
    mismatch
        What to do with a submission whose ids differ from the ids in TRUTH: do not score it
        (raise), or leave out missing, unknown and repeated items and score the others (drop),
        subject to --min-coverage.
    min_coverage : PROPORTION
        The smallest proportion of items that a submission must label to be ranked. A low value
        rewards submissions that skip hard items.
    seed
        The seed of the bootstrap.
    name_pattern : REGEX
        A regular expression with one group that finds the name of a submission in its path, such as
        'team-(.+)[.]csv'. The default name is the path.
    output : WORD
        The output format: table for reading, html for a browser, sentence for a paper, json or csv
        for further computation.

    Examples
    --------
    fastkappa leaderboard truth.csv submissions --id image --target grade

    fastkappa leaderboard truth.csv 'team-*.csv' --id 1 --target 2 --no-header

    fastkappa leaderboard truth.csv a.csv b.csv --id id --target y --split part
    """
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.reading import Reading
    from fastkappa.cli.files.submissions import names_by_pattern, rank_files, submission_files
    from fastkappa.cli.progress import progress_bar
    from fastkappa.cli.reports.leaderboard import output_of
    from fastkappa.cli.words import arguments_named
    from fastkappa.leaderboards.leaderboard_options import LeaderboardOptions

    with errors_printed() as remarks, opened_inputs(text) as opener:
        remarks.depends = [depends(weights)]
        reading = Reading.of(labels, missing_codes, missing, remarks.sorted_labels.append)
        remarks.given_labels = reading.labels or ()
        files = submission_files(submissions, truth, remarks.texts.append)
        opened, others = opener.file(truth), list(map(opener.file_or_failure, files))
        names = {} if name_pattern is None else names_by_pattern(files, name_pattern)
        with progress_bar([opened, *others]) as bar, arguments_named(**NAMED):
            boards = rank_files(
                opened,
                others,
                id_column,
                target,
                LeaderboardOptions(
                    scheme_named(weights),
                    allow_other_labels=allow_other_labels,
                    on_mismatch=mismatch,
                    min_coverage=min_coverage,
                    n_resamples=bootstrap,
                    rng=seed,
                ),
                reading,
                cluster=cluster,
                sample_weight=sample_weight,
                split=split,
                on_left_out=remarks.texts.append,
                text_format=opener.text_format,
                bar=bar,
            )
        boards = {name: _renamed(board, opener, names) for name, board in boards.items()}
        remarks.texts = list(map(opener.named, remarks.texts))
        remarks.show()
        remarks.write(output_of(boards), output)
    if any(failure is not None for board in boards.values() for failure in board.failures):
        raise typer.Exit(SOME_NOT_SCORED)


def _renamed(board: Any, opener: Any, names: Mapping[str, str]) -> Any:
    """Return a leaderboard that uses the user's file names, including in the failure reasons.

    ``names`` maps paths of files to their names. The name of any other file is its path.
    """
    from fastkappa.cli.words import in_words_of_options, with_names

    failures = tuple(
        None
        if why is None
        else opener.explained_failure(name, with_names(in_words_of_options(why), NAMED))
        for name, why in zip(board.names, board.failures)
    )

    def renamed(files: Iterable[str]) -> tuple[str, ...]:
        return tuple(names.get(file, file) for file in map(opener.named, files))

    copies = tuple(map(renamed, board.copies))
    return replace(board, names=renamed(board.names), copies=copies, failures=failures)

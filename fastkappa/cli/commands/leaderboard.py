"""``fastkappa leaderboard``"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from fastkappa.cli.options import (
    A_FILE,
    MOST_REPLICATES,
    MissingCodes,
    MissingOption,
    Remarks,
    WeightsOption,
    depends,
    errors_printed,
    reads_files,
)

SOME_NOT_SCORED = 1
EXAMPLES = """
fastkappa leaderboard truth.csv submissions --id image --target grade

fastkappa leaderboard truth.csv 'team-*.csv' --id 1 --target 2 --no-header

fastkappa leaderboard truth.csv a.csv b.csv --id id --target y --split part
"""


class LeaderboardFormat(enum.StrEnum):
    table = "table"
    json = "json"
    csv = "csv"
    html = "html"
    sentence = "sentence"


class MismatchOption(enum.StrEnum):
    stop = "raise"
    drop = "drop"


@reads_files
def leaderboard(
    truth: Annotated[
        Path,
        typer.Argument(
            metavar="TRUTH",
            help=f"{A_FILE}, or - for the standard input.",
        ),
    ],
    submissions: Annotated[
        list[Path],
        typer.Argument(
            metavar="SUBMISSION...",
            help="Such files of predictions, folders of them, or patterns such as '*.csv'.",
        ),
    ],
    id_column: Annotated[
        str, typer.Option("--id", metavar="COLUMN", help="The column of the items' ids.")
    ],
    target: Annotated[
        str, typer.Option("--target", metavar="COLUMN", help="The column of their labels.")
    ],
    weights: Annotated[
        WeightsOption,
        typer.Option(metavar="WORD", help="The kappa to rank by: none, linear or quadratic."),
    ] = WeightsOption.none,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="The labels to take into account, in their order; the weights refer to it, and"
            " items whose true label is another are left out. By default all that occur, sorted.",
        ),
    ] = None,
    allow_other_labels: Annotated[
        bool,
        typer.Option(
            "--allow-other-labels",
            help="Score a submission with labels that are not among --labels, without the items"
            " that it gives them to. Beware: it may leave out what is hard.",
        ),
    ] = False,
    missing: Annotated[
        MissingOption,
        typer.Option(
            help="What to do where a label is missing: drop the item from all files if that is so"
            " in TRUTH; in a submission it is an item that is not there, see --mismatch. In CSV and"
            " TSV an empty field is missing, and so are NA, NaN, null and the like, unless"
            " --labels names them.",
        ),
    ] = MissingOption.stop,
    missing_codes: MissingCodes = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of TRUTH that says which items resemble each other, such as the"
            " images of a patient: the bootstrap draws clusters.",
        ),
    ] = None,
    sample_weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="The column of TRUTH that says how much each item counts."
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of TRUTH that says which part of a leaderboard an item is of, such as"
            " public or private: each has its own ranks.",
        ),
    ] = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_REPLICATES,
            help="The number of bootstrap replicates; 0 for no intervals.",
        ),
    ] = 1000,
    mismatch: Annotated[
        MismatchOption,
        typer.Option(
            help="What to do with a submission whose ids are not those of the truth: not score"
            " it, or drop items that are missing, unknown or repeated, and score the others, as far"
            " as --min-coverage allows."
        ),
    ] = MismatchOption.stop,
    min_coverage: Annotated[
        float,
        typer.Option(
            metavar="PROPORTION",
            min=0,
            max=1,
            help="The smallest proportion of the items that a submission must have a label for to"
            " be ranked: who leaves out what is hard would be first. By default all of them.",
        ),
    ] = 1.0,
    seed: Annotated[int, typer.Option(min=0, help="Draws the bootstrap replicates.")] = 0,
    name_pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="A regular expression with one group, which is the name of a submission in that"
            " of its file: 'team-(.+)[.]csv'. By default the name is the path.",
        ),
    ] = None,
    text: Any = None,
    output: Annotated[
        LeaderboardFormat,
        typer.Option(
            "--format",
            metavar="WORD",
            help="table for a person, html for a browser, sentence for a paper, json or csv to"
            " compute.",
        ),
    ] = LeaderboardFormat.table,
) -> None:
    """Rank files of predictions by their kappa with the truth.

    Prints for each its kappa and interval, the difference to the leader with a paired
    interval, how often it is first and which ranks it has in the bootstrap replicates. A
    file that cannot be scored has a row that says why; the exit status is 1 then.
    """
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.submissions import names_by_pattern, rank_files, submission_files
    from fastkappa.cli.progress import progress_bar
    from fastkappa.cli.reports.leaderboard import output_of
    from fastkappa.cli.terminal import write
    from fastkappa.cli.words import arguments_named
    from fastkappa.leaderboards.leaderboard_options import LeaderboardOptions

    remarks = Remarks(depends(weights))
    with (
        errors_printed() as remarks.printed,
        opened_inputs(text) as opener,
    ):
        files = submission_files(submissions, truth, remarks.texts.append)
        opened, others = opener.file(truth), list(map(opener.file_or_failure, files))
        names = {} if name_pattern is None else names_by_pattern(files, name_pattern)
        with progress_bar([opened, *others]) as bar, arguments_named(y_true="the truth"):
            boards = rank_files(
                opened,
                others,
                id_column,
                target,
                LeaderboardOptions(
                    weights.scheme,
                    allow_other_labels=allow_other_labels,
                    on_mismatch="drop" if mismatch is MismatchOption.drop else "raise",
                    min_coverage=min_coverage,
                    n_resamples=bootstrap,
                    rng=seed,
                ),
                remarks.reading(labels, missing, missing_codes),
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
        write(output_of(boards).written(output.value, remarks.everything))
    if any(failure is not None for board in boards.values() for failure in board.failures):
        raise typer.Exit(SOME_NOT_SCORED)


def _renamed(board: Any, opener: Any, names: Mapping[str, str]) -> Any:
    """Return a leaderboard with the names that the user gave, in reasons too.

    ``names`` are those of some files, which otherwise have their paths for names.
    """
    from fastkappa.cli.words import in_words_of_options

    failures = tuple(
        why if why is None else opener.explained_failure(name, in_words_of_options(why))
        for name, why in zip(board.names, board.failures)
    )
    given = map(opener.named, board.names)
    return replace(board, names=tuple(names.get(file, file) for file in given), failures=failures)

"""The command ``fastkappa leaderboard``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from fastkappa.cli.gate import Gate
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
from fastkappa.cli.terminal import write

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
    title: str | None = None,
    *,
    gate: Gate,
    text: TextOptions,
    output: Annotated[
        Literal["table", "json", "csv", "html", "sentence"], typer.Option("--format")
    ] = "table",
) -> None:
    """Rank files of predictions by their kappa with the truth.

    For each file, print its kappa with an interval, its difference from the leader with a
    paired interval, its ranks in the bootstrap replicates, and how often it ranks first. A
    file that cannot be scored gets a row with the reason, and the exit status is then 1.

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
        Score a submission even if some of its labels are not in --labels. Items with such labels
        are left out. Beware: a submission can skip hard items this way.
    missing
        What to do with missing labels: stop with an error (raise), or leave the items out (drop).
        An item without a label in TRUTH is left out of all files. An item without a label in a
        submission counts as missing from the submission; see --mismatch. In CSV and TSV files, an
        empty field, NA, NaN, null and similar strings count as missing, unless they are in
        --labels.
    cluster : COLUMN
        The column of TRUTH that identifies each item's cluster, such as the patient of an image.
        The bootstrap then draws clusters.
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
        The proportion of items that a submission must label to be ranked. A low value rewards
        submissions that skip hard items.
    seed
        The seed of the bootstrap.
    name_pattern : REGEX
        A regular expression whose only group matches the name of a submission in its path, such as
        'team-(.+)[.]csv'. The default name is the path.
    title : TEXT
        The title of the page that --format html writes.
    output : WORD
        The output format: table for reading, html for a browser, sentence for a paper, json or csv
        for further computation.

    Examples
    --------
    fastkappa leaderboard truth.csv submissions --id image --target grade

    fastkappa leaderboard truth.csv 'team-*.csv' --id 1 --target 2 --no-header

    fastkappa leaderboard truth.csv a.csv b.csv --id id --target y --split part

    fastkappa leaderboard truth.csv model.csv --id id --target y --fail-under 0.7
    """
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.reading import Reading
    from fastkappa.cli.files.submissions import (
        names_by_pattern,
        rank_files,
        submission_files,
        truth_file,
    )
    from fastkappa.cli.progress import progress_bar
    from fastkappa.cli.reports.leaderboard import output_of
    from fastkappa.cli.words import arguments_named
    from fastkappa.leaderboards.leaderboard_options import LeaderboardOptions

    with errors_printed() as remarks, opened_inputs(text) as opener:
        gate.check_options()
        if gate.needs_interval and not bootstrap:
            raise ValueError(
                "--fail-on lower needs intervals, but --bootstrap is 0: leave out --bootstrap, or"
                " set it to 1000 or more."
            )
        if title is not None and output != "html":
            raise ValueError("--title needs --format html.")
        remarks.depends = [depends(weights)]
        reading = Reading.of(labels, missing_codes, missing, remarks.note_sorted)
        remarks.given_labels = reading.labels or ()
        left_out: list[str] = []
        truth = truth_file(truth)
        files = submission_files(submissions, truth, left_out.append)
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
        if names:
            names.setdefault(str(truth), NAMED["y_true"])
        is_page = output == "html"
        boards = {n: _renamed(board, opener, names, is_page) for n, board in boards.items()}
        remarks.texts, remarks.printed = (
            [_with_names(opener.named(text), names) for text in texts]
            for texts in (left_out + remarks.texts, remarks.printed)
        )
        remarks.show()
        report = output_of(boards).titled(title)
        if is_page:
            # The first remarks are about files that were left out, which the page does not list.
            shown = remarks.everything[len(left_out) :]
            write(report.written(output, list(map(_without_options, shown))))
        else:
            remarks.write(report, output)
        gate.check(report.estimates)
    if any(failure is not None for board in boards.values() for failure in board.failures):
        raise typer.Exit(SOME_NOT_SCORED)


def _renamed(board: Any, opener: Any, names: Mapping[str, str], is_page: bool) -> Any:
    """Return the leaderboard with the user's file names, including those in reasons for failures.

    ``names`` maps paths of files to their names. The name of any other file is its path. On a page,
    which is for the authors of the submissions, the reasons give no advice about options.
    """
    from fastkappa.cli.words import in_words_of_options, with_names

    def explained(file: str, why: str) -> str:
        text = opener.explained_failure(file, with_names(in_words_of_options(why), NAMED))
        text = _with_names(text, names)
        return _without_options(text) if is_page else text

    failures = tuple(
        None if why is None else explained(name, why)
        for name, why in zip(board.names, board.failures)
    )

    def renamed(files: Iterable[str]) -> tuple[str, ...]:
        return tuple(names.get(file, file) for file in map(opener.named, files))

    copies = tuple(map(renamed, board.copies))
    return replace(board, names=renamed(board.names), copies=copies, failures=failures)


def _with_names(text: str, names: Mapping[str, str]) -> str:
    """Replace paths of files in a text by their names."""
    if not names:
        return text
    # A path can be part of a longer path, so the pattern tries longer paths first.
    paths = sorted(names, key=len, reverse=True)
    pattern = rf"(?<![\w/.-])({'|'.join(map(re.escape, paths))})(?!\w)"
    return re.sub(pattern, lambda found: names[found[0]], text)


def _without_options(text: str) -> str:
    """Cut off a text before the first clause that names a command-line option."""
    return re.sub(r"[.:;] [^.:;]*--\w.*", ".", text)

"""Translate the library's errors and warnings for the command line.

The library's messages name Python functions and arguments. This module replaces these names with
commands and options.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from fastkappa.sources.source_ratings import MEASUREMENTS, SETS, RatingsError

# Advice for Python users, mapped to the equivalent advice for command-line users.
ADVICE = {
    ", or decode_probabilities to convert probabilities of shape (n, k) to labels": "",
    "optimal_thresholds": "fastkappa thresholds",
    "clusters= of agreement": "--cluster of fastkappa agree",
    MEASUREMENTS: "For measurements, use fastkappa measure.",
    SETS: " For sets of labels, fastkappa agree needs --set-separator.",
    "item= and rater=, or --item and --rater on the command line.": "--item and --rater.",
    "If the source is a confusion matrix, pass the counts to agreement_from_confusion.": (
        "The commands do not accept a confusion matrix, but the Python package does."
    ),
    "give missing_codes=[[]]": "give --missing drop --missing-codes '[]' without --set-separator",
    "krippendorff_alpha with level='interval', or fastkappa.measurements": "fastkappa measure",
    " (on the command line, --missing-codes)": "",
    "read it with pandas.read_excel or, on the command line, rename it": "rename it",
    "all labels in labels= (on the command line, --labels).": "all labels in --labels.",
    "parse the numbers, as with pandas.read_csv(decimal=',')": (
        "use --decimal ',' if they are numbers"
    ),
    "pass decimal=',' to pandas.read_csv, or --decimal ',' on the command line": (
        "use --decimal ','"
    ),
    "For decimal commas, pass decimal=','.": "For decimal commas, use --decimal ,.",
    "cohen_kappa_score accepts any weights, and leaderboard computes": (
        "fastkappa score accepts any weights, and fastkappa leaderboard computes"
    ),
    "or ratings that declare it, such as an ordered categorical": "or a file that declares it",
    "Give both the same categories, or pass labels=": "Use --labels",
    "if the strings are labels, write all ratings and all labels as strings": (
        "write all labels as words"
    ),
    ", or a matrix of weights": ", or --weight-matrix",
    "light_kappa and pairwise_kappa support": "Light's kappa supports",
    " Use (weights + weights.T) / 2, or use pairwise_kappa or light_kappa instead.": "",
}
# Patterns for advice about the form of the input, with replacements for command-line users.
FORMS = [
    (
        r"\. If the entries count the .* Ratings\.from_(counts|table).*",
        ". The commands do not accept a table of counts, but the Python package does.",
    ),
    (
        r"\. If (ratings have one row|one column contains).* If not, use Ratings\.from_array.*",
        ". Use --raters if each rater has a column, or --item, --rater and --rating if the file"
        " has one row per rating. If each rater has a row, exchange rows and columns.",
    ),
    (
        r"(Give one column per rater: ratings\.pivot|If the columns say which subject).*",
        "Use --item, --rater and --rating for a file with one row per measurement.",
    ),
    (
        r"If it contains ids of items, leave it out\. If not, use Ratings.*",
        "Leave it out of --raters if it identifies the item.",
    ),
    (
        r"Ratings\.from_long reads one row per rating, with its item and its rater\.",
        "If the file has one row per rating, use --item, --rater and --rating.",
    ),
    (
        r"If you have one row per measurement, use ratings\.pivot.*",
        "If the file has one row per measurement, use --item, --rater and --rating.",
    ),
    (
        r"convert them with str\.split\((.*?)\) and use krippendorff_alpha\(level='jaccard'\)",
        r"use --set-separator \1 of fastkappa agree",
    ),
    (
        r"convert them with [\w.]+ and use krippendorff_alpha\(level='jaccard'\)",
        "use --set-separator ',' of fastkappa agree",
    ),
    (r"Leave out this column, for example with .*", "Leave it out of --raters."),
    (r", pass table\[.*?\]\.", ", remove them."),
    (r"Pass ax= from a larger figure, .*", "Draw it with --plot and a larger --size."),
]
OPTIONS = [
    (r"\bduplicates='first' or 'last'", "--duplicates first or last"),
    (r"\bmissing='drop'", "--missing drop"),
    (r"\bsample_weight=('.*?')", r"--sample-weight \1"),
    (r"\bsample_weight=", "--sample-weight"),
    (r"\bUse sep=('.*?') to", r"Use --sep \1 to"),
    (r"\bgroup='(.*?)'", r"--group '\1' of fastkappa agree"),
    (r"\bweights='(\w+)'", r"--weights \1"),
    (r"\bdistribution='(\w+)'", r"--distribution \1"),
    (r"\bn_resamples=", "--bootstrap "),
    (r"\binterval_method='(\w+)'", r"--interval-method \1"),
    (r"\binterval_method=None", "--interval-method auto"),
    (r"\bmissing_codes(=|\b)", "--missing-codes"),
    (r"\blabels=", "--labels"),
    (r"\bmin_coverage=", "--min-coverage "),
    (r"\bnull_kappa\b", "--null"),
    (r"^labels does\b", "--labels does"),
    (r"^sep and decimal must\b", "--sep and --decimal must"),
    (r"^(confidence|sep|encoding|decimal) must\b", r"--\1 must"),
]


def in_words_of_options(text: str) -> str:
    """Replace the names of functions and arguments in a message with commands and options.

    Examples
    --------
    >>> from fastkappa.cli.words import in_words_of_options
    >>> in_words_of_options("give labels= if they are labels, or missing='drop'.")
    'give --labels if they are labels, or --missing drop.'
    """
    for advice, words in ADVICE.items():
        text = text.replace(advice, words)
    for pattern, words in [*FORMS, *OPTIONS]:
        text = re.sub(pattern, words, text, flags=re.DOTALL)
    # Python counts rows from 0, but users count rows from 1, below the column names.
    return re.sub(
        r"first in row (\d+)",
        lambda row: f"first in row {int(row[1]) + 1} below the column names",
        text,
    )


@contextmanager
def arguments_named(**names: str) -> Iterator[None]:
    """Replace names of library arguments in errors and warnings raised in the block.

    Raises
    ------
    RatingsError
        If the block raises a ``ValueError``. The message is that of the ``ValueError``, with the
        names replaced.
    """
    with warnings.catch_warnings(record=True) as warned:
        try:
            yield
        except ValueError as error:
            raise RatingsError(with_names(error, names)) from error
    for one in warned:
        warnings.warn(with_names(one.message, names), one.category, stacklevel=3)


def with_names(text: object, names: Mapping[str, str]) -> str:
    """In a message, replace each library argument with its name in ``names``."""
    # The pattern matches neither options nor names in quotes.
    argument = re.compile(rf"(?<![-'\w])({'|'.join(names)})(?!['\w])")
    return argument.sub(lambda found: names[found[0]], str(text))


def names_of_columns(cluster: str | None, group: str | None = None) -> dict[str, str]:
    """Return replacements for `arguments_named` that make warnings name these columns."""
    given = {"clusters": cluster, "cluster": cluster, "groups": group}
    return {
        f"{name} has names": f"column {column!r} has names"
        for name, column in given.items()
        if column is not None
    }

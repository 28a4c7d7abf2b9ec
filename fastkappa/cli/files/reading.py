"""Apply the same rules for labels and missing ratings in all commands.

Error messages refer to the command-line options.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import Source
from fastkappa.formatting import count_text
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import Remedies
from fastkappa.ratings.label_order import common_order, is_number
from fastkappa.ratings.missing import Missing, count_missing
from fastkappa.sources.arrow_batches import single_labels
from fastkappa.sources.arrow_columns import distinct_ratings, keys_of
from fastkappa.sources.arrow_files import (
    OnProgress,
    ignore_progress,
)
from fastkappa.sources.arrow_folders import columns_of_files
from fastkappa.sources.arrow_missing import mark_missing, without_blanks
from fastkappa.sources.source_ratings import (
    MEASUREMENTS,
    NO_TYPE,
    STRINGS,
    RatingsError,
    WantedLabels,
    column_of,
    order_of,
    refuse_many_labels,
)
from fastkappa.tables.known_labels import KnownLabels

REMEDIES = Remedies(
    decimals="use --decimal ',' if they are numbers, or --labels if they are labels.",
    order="Use --labels to set the intended order.",
    outside="Use --labels to set the intended order.",
    second_names=(
        "leave out the lines above the ratings, for example with --skip 3 --no-header. The columns"
        " are then numbered."
    ),
)
NO_CODE = (
    "--missing-codes names no code. For an empty string, write '\"\"', except in text and JSON"
    " Lines files, where empty fields are always missing. To use NA, null or nan as labels, list"
    " them in --labels."
)
NA_LABELS = " If a string such as NA is a label, list it in --labels."
LISTS_AS_SETS = " If it stands for no label, use fastkappa agree with --set-separator."
# The advice in errors about scores and measurements, where --labels would not help.
ODD_SCORES = "use --missing-codes if they stand for missing values."
SCORES_WITH_COMMAS = "use --decimal ,."
BOOLEANS = {"true": True, "false": False}

# A function that is called with labels that were sorted, because their order was neither given nor
# declared.
OnSorted = Callable[..., None]


def ignore_sorted(labels: AnyArray, of: str = "") -> None:
    """Do nothing: a callback that ignores sorted labels."""


class Reading(NamedTuple):
    """The options for reading ratings.

    Attributes
    ----------
    labels : tuple of str or None
        The labels to use, in order. If None, the order that a column declares is used. If no column
        declares an order, the labels that occur are sorted.
    codes : WantedLabels or None
        The values that stand for a missing rating.
    drop_missing : bool
        Whether to leave out missing ratings, and strings in columns of numbers. Otherwise, both
        raise an error.
    on_sorted : callable
        Called with the labels if their order is neither given nor declared. A second argument can
        say whose labels they are.
    on_progress : callable
        Called repeatedly with the number of bytes read so far.
    """

    labels: tuple[str, ...] | None = None
    codes: WantedLabels | None = None
    drop_missing: bool = False
    on_sorted: OnSorted = ignore_sorted
    on_progress: OnProgress = ignore_progress

    @classmethod
    def of(
        cls,
        labels: str | Sequence[str] | None = None,
        missing_codes: str | Sequence[str] | None = None,
        missing: Missing = "raise",
        on_sorted: OnSorted = ignore_sorted,
    ) -> Self:
        """Create the options from labels and codes, given as strings such as ``a,b,c``.

        Raises
        ------
        RatingsError
            If a string contains no label, or both strings contain the same label.
        """
        texts = None if labels is None else tuple(_split(labels, "--labels names no label."))
        codes = None if missing_codes is None else WantedLabels(_split(missing_codes, NO_CODE))
        for label in texts or ():
            if codes is not None and label in codes:
                raise RatingsError(
                    f"--labels and --missing-codes both contain {label!r}: remove it from one of"
                    " them."
                )
        return cls(texts, codes, missing == "drop", on_sorted)

    @property
    def wanted(self) -> WantedLabels | None:
        """The labels to count, or None to count all labels that occur.

        The codes for missing ratings are included, so that missing ratings do not count as labels
        that were not requested.
        """
        if self.labels is None:
            return None
        codes = () if self.codes is None else self.codes.texts
        are_numbers = all(map(is_number, self.labels))
        return WantedLabels([*self.labels, *codes], are_numbers=are_numbers)

    def parsed(self, dtype: np.dtype[Any]) -> list[Any] | None:
        """Return the labels converted to the type of the ratings, or None if none are given.

        Examples
        --------
        >>> import numpy as np
        >>> from fastkappa.cli.files.reading import Reading
        >>> Reading.of("3,1,2").parsed(np.dtype(int))
        [3, 1, 2]
        """
        if self.labels is None:
            return None
        if dtype.kind in "UO":
            return list(self.labels)
        return [_parsed(label, dtype.kind == "b") for label in self.labels]

    def texts(self, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the given labels for each column, so that a label NA is not read as missing."""
        return {} if self.labels is None else dict.fromkeys(columns, self.labels)

    def columns(
        self,
        source: Source,
        rated: Sequence[str],
        others: Sequence[str] = (),
        *,
        text: Sequence[str] = (),
        scores: Collection[str] = (),
    ) -> dict[str, Any]:
        """Return columns of a source. Missing ratings, missing scores and blank names become null.

        The columns ``text`` of a text file are read as strings, so that "01" differs from "1". In
        other columns of ratings, lists are replaced by their labels if no list has several labels.
        Empty lists are then missing ratings.
        """
        names = [*rated, *scores, *others]
        arrays = columns_of_files(
            source.files,
            list(dict.fromkeys(names)),
            self.on_progress,
            text=text,
            text_format=source.text_format,
            labels=self.texts(rated),
            rated=rated,
        )
        for name in dict.fromkeys([*rated, *scores]):
            is_score = name in scores
            if name not in text:
                given, arrays[name] = arrays[name], single_labels(arrays[name])
                n_empty = arrays[name].null_count - given.null_count
                if n_empty and not self.drop_missing:
                    raise RatingsError(
                        f"{source.name}: column {name!r} has {count_text(n_empty, 'empty list')}"
                        f" in {len(given)} rows, and its other lists have one label each. Use"
                        " --missing drop if an empty list stands for a missing rating."
                        f"{LISTS_AS_SETS}"
                    )
            decimal = source.text_format.decimal
            arrays[name] = self.marked(source.files[0], name, arrays[name], decimal, is_score)
        for name in others:
            if name not in (*rated, *scores):
                arrays[name] = without_blanks(arrays[name])
        return arrays

    def marked(
        self, file: Path, name: str, column: Any, decimal: str, is_score: bool = False
    ) -> Any:
        """Return a column of a file, with codes for missing values replaced by null.

        If missing values are dropped, strings among numbers also become null. Otherwise they are
        errors. If ``labels`` are given, strings in a column of ratings are always kept.
        """
        keeps = self.labels is not None and not is_score
        return mark_missing(
            file,
            name,
            column,
            self.codes,
            odd="keep" if keeps else "drop" if self.drop_missing else "raise",
            remedy=ODD_SCORES if is_score else REMEDIES.odd_strings,
            decimal=decimal,
            of_commas=SCORES_WITH_COMMAS if is_score else None,
        )

    def known(self, ratings: Mapping[str, Any]) -> list[Any] | None:
        """Return the labels that are given or declared, or None if there are none.

        Raises
        ------
        ValueError
            If a column contains values that cannot be labels, if a label is not in the order that
            another column declares, or if two columns declare different orders.
        """
        fractions = self.labels is not None and WantedLabels(self.labels).have_fractions
        columns = {
            f"column {name!r}": _distinct(name, array, fractions) for name, array in ratings.items()
        }
        if self.labels is not None:
            types = {column.label_dtype for column in columns.values()} - {NO_TYPE}
            # A column whose labels all look like numbers is read as numbers. If any column contains
            # strings, the labels in --labels are treated as strings.
            is_text = not types or STRINGS in types
            return self.parsed(STRINGS if is_text else np.result_type(*types))
        for name, column in columns.items():
            refuse_many_labels(len(keys_of(column)), name, MEASUREMENTS)
        orders = {name: column.declared for name, column in columns.items()}
        order = common_order(orders, REMEDIES.order)
        if order is None:
            return None
        for name, column in columns.items():
            KnownLabels(order, column, column).refuse_outside({name: column}, REMEDIES.outside)
        declared: list[Any] = order.labels.tolist()
        return declared

    def check_missing(
        self,
        columns: Mapping[str, Any],
        left_out: str,
        what: str = "ratings",
        advice: str = NA_LABELS,
    ) -> None:
        """Raise if a value is missing in one of the columns, unless missing values are dropped."""
        if not self.drop_missing:
            n_rows = len(next(iter(columns.values())))
            self.refuse_missing(count_missing(columns)[0], n_rows, left_out, what, advice)

    def refuse_missing(
        self,
        n_missing: Mapping[str, int],
        n_rows: int,
        left_out: str = "such rows",
        what: str = "ratings",
        advice: str = NA_LABELS,
    ) -> None:
        """Raise if any column has missing values, unless missing values are dropped.

        ``n_missing`` is the number of missing values in each column. The error ends with
        ``advice``.
        """
        missing = {name: n for name, n in n_missing.items() if n}
        if missing and not self.drop_missing:
            found = " and ".join(f"{n} in column {name!r}" for name, n in missing.items())
            raise RatingsError(
                f"{what} are missing: {found}, out of {n_rows} rows. Use --missing drop to leave"
                f" out {left_out}.{advice}"
            )


def refuse_times(name: str, dtype: np.dtype[Any]) -> None:
    """Raise if a column contains dates or times."""
    if dtype.kind == "M":
        held = "date" if np.datetime_data(dtype)[0] == "D" else "time"
        raise RatingsError(
            f"column {name!r} contains values of type {held}: ratings must be whole numbers,"
            " strings or booleans."
        )


def refuse_outside(name: str, column: Any, declared: Sequence[Any]) -> None:
    """Raise if a column contains a rating that is not one of the declared labels."""
    found, order = _distinct(name, column), order_of(declared)
    KnownLabels(order, found, found).refuse_outside({f"column {name!r}": found}, REMEDIES.outside)


def _distinct(name: str, array: Any, fractions: bool = False) -> Column:
    """Return the distinct ratings in a column, or raise if they cannot be labels."""
    found = distinct_ratings(array, name, fractions)
    refuse_times(name, found.label_dtype)
    keys = sorted(set(keys_of(found)) - {None}, key=str)
    return column_of(keys, found.label_dtype)._replace(declared=found.declared)


def _split(given: str | Sequence[str], none_named: str) -> list[str]:
    labels: list[str] = []
    for text in [given] if isinstance(given, str) else given:
        try:
            found = next(csv.reader([text], skipinitialspace=True), [])
        except csv.Error as error:
            raise RatingsError(
                "in --labels and --missing-codes, an entry with a line break must be in quotes,"
                f" got {text!r}."
            ) from error
        if not found:
            raise RatingsError(none_named)
        labels += [label.strip() for label in found]
    return labels


def _parsed(label: str, is_boolean: bool) -> bool | int | float:
    """Convert a label to a number or a boolean, or raise."""
    if is_boolean and label.lower() in BOOLEANS:
        return BOOLEANS[label.lower()]
    with suppress(ValueError):
        if not is_boolean:
            return int(label)
    if is_number(label) and not is_boolean:
        return float(label)
    are = "true and false" if is_boolean else "numbers"
    raise RatingsError(
        f"--labels contains {label!r}, but the ratings are {are}: list only {are} in --labels."
    )

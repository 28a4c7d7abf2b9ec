"""Rules about ratings apply to two and to several raters, in each form of the ratings."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastkappa import Ratings, agreement, agreement_by, confusion_from_source, fleiss_kappa

# A function of one column per rater, and options.
Form = Callable[..., Any]


def _long(first: Any, second: Any, **options: Any) -> Any:
    items, raters = [*range(len(first)), *range(len(second))], np.repeat(["A", "B"], len(first))
    return Ratings.from_long(item=items, rater=raters, rating=[*first, *second], **options)


FORMS: dict[str, Form] = {
    "agreement": agreement,
    "agreement_by": lambda a, b, **o: agreement_by(groups=[0] * len(a), y1=a, y2=b, **o),
    "rows": lambda a, b, **o: Ratings.from_array([list(row) for row in zip(a, b)], **o),
    "frame": lambda a, b, **o: Ratings.from_array(pd.DataFrame({"A": a, "B": b}), **o),
    "raters": lambda a, b, **o: Ratings.from_raters({"A": a, "B": b}, **o),
    "long": _long,
    "function": lambda a, b, **o: fleiss_kappa(list(map(list, zip(a, b))), **o),
}


def _counts(first: Any, second: Any) -> Ratings:
    rows = pd.DataFrame({"item": [*range(len(first))] * 2, "label": [*first, *second]})
    return Ratings.from_counts(pd.crosstab(rows["item"], rows["label"]))


def _table(first: Any, second: Any) -> Ratings:
    names = sorted({*first, *second})
    table = pd.crosstab(pd.Series(first), pd.Series(second))
    return Ratings.from_table(table.reindex(index=names, columns=names, fill_value=0))


class Grade(enum.Enum):
    POOR = 1
    FAIR = 2
    GOOD = 5


@pytest.mark.parametrize(
    "form", [*FORMS.values(), _counts, _table], ids=[*FORMS, "counts", "table"]
)
def test_labels_that_look_alike_are_warned_of(form: Form) -> None:
    with pytest.warns(
        UserWarning, match="differ only in how they are written, but are counted separately: 'no'"
    ):
        form(["no", "no ", "yes"], ["no", "no", "yes"])


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_strings_among_numbers_are_refused_unless_labels_are_given(form: Form) -> None:
    first, second = ["1", "2", "x", "1", "2"], ["1", "2", "1", "1", "2"]
    with pytest.raises(ValueError, match=r"contains numbers and also 'x' \(1 time\)"):
        form(first, second)
    form(first, second, labels=["1", "2", "x"])


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_label_that_ends_in_nul_is_refused(form: Form) -> None:
    with pytest.raises(ValueError, match="ends in a NUL character"):
        form(["a\0", "b"], ["a", "b"])


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("labels", [[1, None], [], [1, 1, 2]], ids=str)
def test_labels_must_be_distinct_and_not_missing(form: Form, labels: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^'?labels'? (must not contain missing values|should|must be distinct)"
    ):
        form([1, 2, 1], [1, 2, 2], labels=labels)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_labels_may_be_an_enum(form: Form) -> None:
    found = form([Grade.POOR, Grade.GOOD], [Grade.POOR, Grade.FAIR], labels=Grade)
    labels = found[0].labels if form is FORMS["agreement_by"] else found.labels
    assert labels.tolist() == ["POOR", "FAIR", "GOOD"]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("codes", [7, "7", b"7", [[7]]], ids=str)
def test_missing_codes_are_a_list_of_ratings(form: Form, codes: Any) -> None:
    with pytest.raises(ValueError, match="missing_codes must be a list of ratings, got"):
        form([1, 2, 7], [1, 2, 2], missing_codes=codes)


def test_types_are_compared_where_no_label_wanted_occurs() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="a' contains integers and column 'b' contains strings"):
        confusion_from_source({"a": [7, 8], "b": ["x", "y"]}, "a", "b", labels=[1, 2])


@pytest.mark.parametrize(
    "ratings",
    [[True, False, True, True], [3, 1, 2, 1], [1.0, 2.0, 1.0, 1.0], [np.int64(3), 1, np.True_, 0]],
    ids=str,
)
@pytest.mark.parametrize("form", FORMS)
def test_objects_are_read_as_a_list_of_them(form: str, ratings: list[Any]) -> None:
    other = ratings[::-1]
    expected = str(FORMS[form](ratings, other))
    for make in (lambda r: np.array(r, object), lambda r: pd.Series(r, dtype=object)):
        assert str(FORMS[form](make(ratings), make(other))) == expected


@pytest.mark.parametrize("form", FORMS)
def test_objects_that_lists_refuse_are_refused(form: str) -> None:
    for ratings, message in (
        ([2**53 + 1, 0.0], r"beyond 2\*\*53"),
        ([pd.Period("2020-01", "M"), pd.Period("2020-02", "M")], "label|string|Period"),
    ):
        column = np.array(ratings, object)
        with pytest.raises((ValueError, TypeError), match=message):
            FORMS[form](column, column)

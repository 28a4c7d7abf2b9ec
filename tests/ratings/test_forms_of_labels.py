"""Forms of labels that look right: codes among categories, crosstabs, numbers as text."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import (
    ConfusionAccumulator,
    agreement,
    agreement_by,
    agreement_from_confusion,
    compare_predictions,
    confusion_counts,
    confusion_from_source,
    kappa_from_confusion,
    leaderboard,
    score_many,
)

Y1, Y2 = "1223312.3321", "1233.1223311"
KEPT = [(int(a), int(b)) for a, b in zip(Y1, Y2, strict=True) if "." not in (a, b)]


def categorical(ratings: str) -> Any:
    return pd.Categorical(list(ratings), categories=["1", ".", "2", "3"], ordered=True)


def expected() -> float:
    table = np.zeros((3, 3), int)
    for one, other in KEPT:
        table[one - 1, other - 1] += 1
    return float(kappa_from_confusion(table, weights="quadratic"))


OPTIONS: dict[str, Any] = {"weights": "quadratic", "missing": "drop", "missing_codes": ["."]}
KAPPAS: dict[str, Callable[[Any, Any], float]] = {
    "agreement": lambda a, b: agreement(a, b, **OPTIONS).kappa,
    "agreement_by": lambda a, b: agreement_by(a, b, groups=["g"] * len(Y1), **OPTIONS)["g"].kappa,
    "compare_predictions": lambda a, b: compare_predictions(b, b, y_true=a, **OPTIONS).kappas[0],
    "score_many": lambda a, b: score_many(a, [b], **OPTIONS).kappas[0],
    "leaderboard": lambda a, b: leaderboard(a, [b], min_coverage=0.5, **OPTIONS).kappa[0],
}


@pytest.mark.parametrize("name", KAPPAS)
def test_a_missing_code_has_no_place_in_a_declared_order(name: str) -> None:
    assert KAPPAS[name](categorical(Y1), categorical(Y2)) == pytest.approx(expected(), abs=1e-15)


def test_an_ordered_arrow_dictionary_in_pandas_declares_its_order() -> None:
    order = ["none", "mild", "moderate", "severe"]
    columns = [
        pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(order), ordered=True)
        for codes in ([0, 1, 3, 2], [0, 2, 3, 2])
    ]
    frame = pa.table(columns, names=["a", "b"]).to_pandas(types_mapper=pd.ArrowDtype)
    assert agreement(frame.a, frame.b, weights="quadratic").labels.tolist() == order


def test_margins_of_a_crosstab_are_no_label() -> None:
    x, y = np.array(["a", "b", "a", "c"]), np.array(["a", "b", "b", "c"])
    with_margins = pd.crosstab(x, y, margins=True)
    with pytest.raises(ValueError, match=r"row and column 'All' are the sums of the others"):
        agreement_from_confusion(with_margins)
    plain = agreement_from_confusion(with_margins.iloc[:-1, :-1])
    assert plain.kappa == agreement(x, y).kappa
    with_margins.iloc[-1, -1] = 5  # The corner alone is not decisive.
    with pytest.raises(ValueError, match="margins"):
        kappa_from_confusion(with_margins)
    with_margins.iloc[-1, 0] = 5
    assert kappa_from_confusion(with_margins) > 0


NUMBERS = "labels that differ only in how they are written, .* '1' .* '1.0' .* Write them the"
BLANKS = "labels that differ only in how they are written, .* 'a' .* 'a ' .* Write them"


def test_counts_in_place_of_their_table_are_told_where_it_is() -> None:
    counts = confusion_counts([1, 2, 2], [1, 2, 1])
    with pytest.raises(ValueError, match=r"got ConfusionCounts: pass its \.table attribute"):
        kappa_from_confusion(counts)
    counted = confusion_from_source({"a": [1, 2, 2], "b": [1, 2, 1]}, "a", "b")
    with pytest.raises(ValueError, match=r"got SourceCounts: pass its \.table attribute"):
        kappa_from_confusion(counted)
    assert agreement_from_confusion(counted).kappa == agreement_from_confusion(counts).kappa


@pytest.mark.parametrize("ratings", [(["1", "2"], ["1.0", "2"]), (["a", "b"], ["a ", "b"])])
@pytest.mark.parametrize(
    "call",
    [
        agreement,
        lambda a, b: score_many(a, [b]),
        lambda a, b: leaderboard(a, [b], n_resamples=0),
        lambda a, b: ConfusionAccumulator().update(a, b),
        lambda a, b: confusion_from_source(pd.DataFrame({"a": a, "b": b}), "a", "b"),
    ],
)
def test_labels_that_look_alike_are_named(
    call: Callable[..., Any], ratings: tuple[Any, Any]
) -> None:
    with pytest.warns(UserWarning, match=NUMBERS if ratings[0][0] == "1" else BLANKS):
        call(*ratings)


@pytest.mark.parametrize(
    "call",
    [
        agreement,
        lambda a, b, labels: agreement_by(a, b, groups=["x"] * len(a), labels=labels),
        lambda a, b, labels: confusion_from_source({"a": a, "b": b}, "a", "b", labels=labels),
        lambda a, b, labels: confusion_from_source(
            pd.DataFrame({"a": a, "b": b, "g": range(len(a))}), "a", "b", group="g", labels=labels
        ),
    ],
)
def test_a_label_given_as_no_rating_is_written_is_named(call: Callable[..., Any]) -> None:
    grades = ["low", "medium", "medium", "high"]
    with pytest.warns(UserWarning, match="no rating equals the label 'med', and 2 items are left"):
        call(grades, grades.copy(), labels=["low", "med", "high"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A scale can have unused labels, and ratings can be left out on purpose.
        call(grades, grades.copy(), labels=["low", "medium", "high", "highest"])
        call(grades, grades.copy(), labels=["low", "medium"])
        call([1, 2, 2, 9], [1, 2, 2, 9], labels=[1, 2, 3])
        # The highest grade is rare, or few items are left out.
        call([1, 2, 3, 9] * 20, [1, 2, 3, 9] * 20, labels=[1, 2, 3, 4])
        call([1, 2, 3] * 200 + [9] * 9, [1, 2, 3] * 200 + [9] * 9, labels=[0, 1, 2, 3])
    counted_from_1 = [1, 2, 3, 4, 5] * 20
    with pytest.warns(UserWarning, match=r"equals the label 0, and 20 items are .* such as 1 to 5"):
        call(counted_from_1, counted_from_1.copy(), labels=[0, 1, 2, 3, 4])

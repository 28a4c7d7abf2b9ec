"""Define objects whose length differs from their number of items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import fastkappa as fk


class Sequence:
    """A sequence that claims a length other than its number of items."""

    def __init__(self, array: Any, length: int) -> None:
        self._array, self._length = array, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: Any) -> Any:
        return self._array[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._array)


class ArrayLike(Sequence):
    """An object that NumPy can convert to an array."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._array, dtype)


class Shaped(ArrayLike):
    """An array-like object that also has a shape."""

    @property
    def shape(self) -> tuple[int, ...]:
        return (self._length,)


class WithInterface(Sequence):
    """An object that provides the address of its items."""

    @property
    def __array_interface__(self) -> Any:
        return self._array.__array_interface__


class WithDLPack(Sequence):
    """An object that other libraries can read through DLPack."""

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


class List(list[Any]):
    """A list that claims a different length."""

    def __init__(self, array: Any, length: int) -> None:
        super().__init__(array.tolist())
        self._length = length

    def __len__(self) -> int:
        return self._length


KINDS: tuple[Callable[[Any, int], Any], ...] = (
    Sequence,
    ArrayLike,
    Shaped,
    WithInterface,
    WithDLPack,
    List,
)

# Each call gets a column and an object that reports a wrong length. The column also serves as
# scores and weights.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "cohen_kappa_score": lambda y, liar: fk.cohen_kappa_score(y, liar, weights="quadratic"),
    "cohen_kappa_score, first": lambda y, liar: fk.cohen_kappa_score(liar, y),
    "cohen_kappa_score, weights": lambda y, liar: fk.cohen_kappa_score(y, y, sample_weight=liar),
    "confusion_matrix": lambda y, liar: fk.confusion_matrix(y, liar, sample_weight=y),
    "confusion_matrix, weights": lambda y, liar: fk.confusion_matrix(y, y, sample_weight=liar),
    "confusion_counts": lambda y, liar: fk.confusion_counts(y, liar),
    "confusion_counts, labels": lambda y, liar: fk.confusion_counts(y, liar, labels=[1, 2, 3]),
    "confusion_counts, weights": lambda y, liar: fk.confusion_counts(y, y, sample_weight=liar),
    "agreement": lambda y, liar: fk.agreement(y, liar),
    "agreement, clusters": lambda y, liar: fk.agreement(y, y.copy(), clusters=liar),
    "agreement_by": lambda y, liar: fk.agreement_by(y, y.copy(), groups=liar),
    "optimal_thresholds": lambda y, liar: fk.optimal_thresholds(liar, y),
    "optimal_thresholds, scores": lambda y, liar: fk.optimal_thresholds(y, liar),
    "optimal_thresholds, weights": lambda y, liar: fk.optimal_thresholds(y, y, sample_weight=liar),
    "ThresholdEvaluator": lambda y, liar: fk.ThresholdEvaluator(liar, y),
    "ThresholdEvaluator, scores": lambda y, liar: fk.ThresholdEvaluator(y, liar),
    "ThresholdEvaluator, weights": lambda y, liar: fk.ThresholdEvaluator(y, y, sample_weight=liar),
    "compile_scorer": lambda y, liar: fk.compile_scorer(range(1, 5))(y, liar),
    "compile_scorer, weights": lambda y, liar: fk.compile_scorer(range(1, 5))(
        y, y, sample_weight=liar
    ),
    "update": lambda y, liar: fk.ConfusionAccumulator().update(y, liar),
    "update, weights": lambda y, liar: fk.ConfusionAccumulator().update(y, y, sample_weight=liar),
    "score_many": lambda y, liar: fk.score_many(y, {"a": liar}),
    "score_many, truth": lambda y, liar: fk.score_many(liar, {"a": y}),
    "score_many, weights": lambda y, liar: fk.score_many(y, {"a": y}, sample_weight=liar),
    "leaderboard": lambda y, liar: fk.leaderboard(y, {"a": liar, "b": y}),
    "krippendorff_alpha": lambda y, liar: fk.krippendorff_alpha([y.tolist(), liar]),
    "Ratings": lambda y, liar: fk.Ratings.from_raters([y, liar]),
    "Ratings, long": lambda y, liar: fk.Ratings.from_long(item=liar, rater=y, rating=y),
    "continuous_kappa": lambda y, liar: fk.measurements.continuous_kappa(y, liar),
    "continuous_kappa, weights": lambda y, liar: fk.measurements.continuous_kappa(
        y, y, sample_weight=liar
    ),
    "limits_of_agreement": lambda y, liar: fk.measurements.limits_of_agreement(y, liar),
    "concordance_correlation": lambda y, liar: fk.measurements.concordance_correlation(liar, y),
    "intraclass_correlation": lambda y, liar: fk.measurements.intraclass_correlation(
        [y.tolist(), liar]
    ),
}

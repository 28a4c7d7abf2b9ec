"""The drop-in functions beside scikit-learn's: values, errors, warnings and their words.

Every call in ``adversarial_inputs`` is made to both. Where the two differ on purpose, a
`Difference` below says what scikit-learn does, what fastkappa does instead, and why; any
other difference fails.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import re
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import sklearn
import sklearn.metrics
from adversarial_inputs import Call, calls
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils._param_validation import InvalidParameterError

import fastkappa
from fastkappa import cohen_kappa_score, confusion_counts, confusion_matrix

FUNCTIONS = ("cohen_kappa_score", "confusion_matrix")

needs_sklearn_1_9 = pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
    reason="the wording and replace_undefined_by are scikit-learn 1.9's, which needs CPython 3.11;"
    f" it is {sklearn.__version__} here",
)


class Outcome(NamedTuple):
    """What a call came to: a value or an error, and the warnings on the way."""

    value: Any
    error: Exception | None
    warnings: list[warnings.WarningMessage]


def outcome(function: Callable[..., Any], make: Callable[[], Any]) -> Outcome:
    arguments, options = make()
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        try:
            return Outcome(function(*arguments, **options), None, record)
        except Exception as error:
            return Outcome(None, error, record)


def wording(message: str) -> str:
    """Return a message without what is no wording: addresses, orders of sets, values shown."""
    message = re.sub(r"0x[0-9A-Fa-f]+", "0x", message)
    message = re.sub(r"\{('[^{}]*')\}", lambda found: str(sorted(found[1].split(", "))), message)
    # "Got [0. 1. 2.] and ['a' 'b']": floats and bools are shown there as integers by us.
    return re.sub(r"(?<=\(string and number\); Got ).*", "...", message, flags=re.DOTALL)


def described(result: Outcome) -> str:
    """Return an outcome in words, for comparison and for the reader of a failure."""
    if result.error is not None:
        text = f"{type(result.error).__name__}: {wording(str(result.error))}"
    elif isinstance(result.value, np.ndarray):
        text = f"table: {result.value.dtype} {result.value.tolist()}"
    else:
        text = f"value: {result.value!r}"
    # NumPy's remarks about casts, overflow and what it deprecates on scikit-learn's way are
    # not part of it; one of ours would be one too many.
    remarks = [
        f" | {warning.category.__name__}: {wording(str(warning.message))}"
        for warning in result.warnings
    ]
    return text + "".join(remarks)


def same(theirs: Outcome, ours: Outcome) -> bool:
    if (theirs.error is None) != (ours.error is None):
        return False
    expected_warnings = [
        (warning.category, wording(str(warning.message)))
        for warning in theirs.warnings
        if warning.category not in (RuntimeWarning, DeprecationWarning)
    ]
    if expected_warnings != [(w.category, wording(str(w.message))) for w in ours.warnings]:
        return False
    if theirs.error is not None:
        # Code that catches their error catches ours.
        return isinstance(ours.error, type(theirs.error)) and wording(str(ours.error)) == wording(
            str(theirs.error)
        )
    if isinstance(theirs.value, np.ndarray):
        return (
            theirs.value.dtype == ours.value.dtype
            and theirs.value.shape == ours.value.shape
            and np.allclose(theirs.value, ours.value, rtol=1e-12, atol=1e-12)
        )
    if type(theirs.value) is not type(ours.value):
        return False
    return bool(
        abs(theirs.value - ours.value) <= 1e-12
        or (math.isnan(theirs.value) and math.isnan(ours.value))
    )


class Difference(NamedTuple):
    """What scikit-learn and fastkappa do, as patterns to be found, and why they differ."""

    why: str
    theirs: str
    ours: str
    calls: str = ""


NAN_ERROR = r"^ValueError: Input (y_true|y_pred) contains Na[NT]\.$"
NO_LABEL = (
    r"^ValueError: At least one label (in `labels` must be present in `y1`|specified must be in)"
)
LABELS_SHAPE = r"^ValueError: labels must be one-dimensional, got"
NOT_SUPPORTED = r"^ValueError: (unknown is not supported|Classification metrics can't handle)"
MIXTURE = r"^ValueError: Mix of label input types"

DELIBERATE = [
    Difference(
        "labels given twice get a table that counts items in the wrong row, so they are refused",
        r"^(value|table|ValueError: At least one label)",
        r"^ValueError: labels must be distinct, got .* more than once\.$",
        calls="labels repeated",
    ),
    Difference(
        "sums of integer weights beyond int64 wrap around",
        r"^table: int64 \[\[-",
        r"^OverflowError: the sums of sample_weight reach \d+, beyond int64",
        calls="overflowing",
    ),
    Difference(
        "int64 beside uint64 goes through floats, in which large labels fall together or get lost",
        "^(value|table)",
        "^(value|table)",
        calls="uint64 large|int64 and uint64",
    ),
    Difference(
        "weights near the ends of float64 under- or overflow on the way to kappa",
        r"^value: nan \|",
        r"^value: 0\.538461538461538\d$",
        calls="sample_weight (tiny|huge floats)",
    ),
    Difference(
        "a missing rating is called missing, not uncomparable",
        r"^TypeError: ('<' not supported between instances of '(NoneType|float)' and 'str'"
        r"|boolean value of NA)",
        NAN_ERROR,
    ),
    Difference(
        "a missing rating is called missing, not unknown",
        NOT_SUPPORTED,
        NAN_ERROR,
        calls="None|NaN|NA",
    ),
    Difference("a missing date is no label", "", NAN_ERROR, calls="NaT"),
    Difference(
        "words among numbers in one column get the same error as words beside numbers",
        r"^TypeError: '<' not supported between instances of '(int|tuple|bytes)' and 'str'",
        MIXTURE,
    ),
    Difference(
        "what cannot be a label is said to be none",
        r"^TypeError: '<' not supported between instances of 'list' and 'str'",
        r"^ValueError: Input y_(true|pred) holds a rating that cannot be a label",
    ),
    Difference(
        "dates, durations and numbers share no labels; NumPy compares some and not others",
        r"^(UFuncTypeError|_UFuncNoLoopError|_UFuncBinaryResolutionError|value|table)",
        MIXTURE,
        calls="date|timedelta|duration",
    ),
    Difference(
        "NumPy's own string type holds strings",
        r"^TypeError: (dtype argument must be a NumPy dtype.*StringDType|cannot attach metadata)",
        "",
        calls="string dtype",
    ),
    Difference(
        "a weight of None is missing, not 0",
        "^(value|table)",
        r"^ValueError: Input sample_weight contains NaN\.$",
        calls="sample_weight None among",
    ),
    Difference(
        "labels that cannot be compared with the ratings are not among them",
        "^(TypeError|DTypePromotionError|value|table)",
        NO_LABEL,
        calls="labels (mixed|bytes|complex|dates|words|pandas words|None among|objects"
        "|extra beyond)",
    ),
    Difference(
        "labels of several types, some of which occur",
        "^TypeError: '<' not supported",
        "^(value|table)",
        calls="labels (mixed objects|None among|words with None)",
    ),
    Difference(
        "labels that are no list of labels are said to be none",
        "",
        LABELS_SHAPE,
        calls="labels (column|row|nested|ragged|zero-dimensional|set|dict)",
    ),
    Difference(
        "weights also take a matrix of disagreement weights",
        "^InvalidParameterError: The 'weights' parameter",
        "^value: ",
        calls="weights matrix$",
    ),
    Difference(
        "a matrix of disagreement weights of the wrong shape is told the right one",
        "^InvalidParameterError: The 'weights' parameter",
        r"^ValueError: weights must have the shape \(\d, \d\)",
        calls="weights (small )?matrix",
    ),
    Difference(
        "any real number may replace an undefined kappa",
        "^TypeError: ufunc 'isnan' not supported",
        "^value: ",
        calls="replace fraction",
    ),
    Difference(
        "np.matrix is an array of two dimensions, and a column of it is one of ratings",
        "^TypeError: np.matrix is not supported",
        "^(value|table|ValueError: Mix of label input types)",
        calls="np.matrix",
    ),
    Difference(
        "collections without order have no items to pair up",
        "^IndexError: tuple index out of range",
        "^TypeError: Input should have at least 1 dimension",
    ),
    Difference(
        "a class is no array",
        "^(IndexError|TypeError: Input should have at least 1 dimension)",
        "^TypeError: Expected sequence or array-like, got <class 'type'>",
        calls=r"\btype\b",
    ),
    Difference(
        "ratings that are no class labels are said to be none",
        "^TypeError: ('<' not supported between instances of 'str' and 'int'|unhashable type)",
        NOT_SUPPORTED,
        calls="matrix of objects|structured",
    ),
    Difference(
        "ragged lists are what the error about sequences of sequences is for",
        "^ValueError: setting an array element with a sequence",
        "^ValueError: You appear to be using a legacy multi-label data representation",
        calls="ragged",
    ),
    Difference(
        "sample_weight that are no numbers are named",
        r"^(TypeError: len\(\) of unsized object|ValueError: could not convert string to float)",
        "^ValueError: sample_weight must hold numbers: ",
        calls="sample_weight",
    ),
    Difference(
        "sample_weight without a dimension",
        r"^TypeError: len\(\) of unsized object",
        "^TypeError: Input should have at least 1 dimension",
        calls="sample_weight",
    ),
    Difference(
        "no weights for some ratings are too few weights",
        "^ValueError: all index and data arrays must have the same length",
        r"^ValueError: Found input variables with inconsistent numbers of samples: \[6, 6, 0\]",
    ),
    Difference(
        "weights of three dimensions are refused like those of two",
        "^ValueError: Found array with dim 3, while dim <= 2 is required",
        "^ValueError: Sample weights must be 1D array or scalar, got 3D array",
        calls="sample_weight cube",
    ),
    Difference(
        "of two errors in one call the other comes first: weights are looked at while counting",
        r"^ValueError: (Input sample_weight contains NaN|Sample weights must)",
        r"^ValueError: (Mix of label input types|Classification metrics can't|'labels' should"
        "|At least one label)",
        calls="(NaN|zero|matrix) weights before",
    ),
    Difference(
        "of two errors in one call the other comes first: numbers of ratings are compared at once",
        r"^ValueError: Found array with 0 feature\(s\)",
        "^ValueError: Found input variables with inconsistent numbers of samples",
    ),
]


def deliberate(call: Call, theirs: str, ours: str) -> Difference | None:
    return next(
        (
            difference
            for difference in DELIBERATE
            if re.search(difference.calls, call.name)
            and re.search(difference.theirs, theirs)
            and re.search(difference.ours, ours, re.DOTALL)
        ),
        None,
    )


@functools.cache
def calls_by_subject() -> dict[str, list[Call]]:
    """Return the calls, those of one thing together, so that a failure shows them all."""
    subjects = defaultdict(list)
    for call in calls():
        subject = re.sub(
            r" (twice|with labels|of ints|of letters)$|, (linear|quadratic)$", "", call.name
        )
        subject = re.sub(
            r"^(ints|two ints|words) beside | beside (ints|two ints|words)$", "", subject
        )
        subjects[subject].append(call)
    return dict(subjects)


_used: set[str] = set()
_compared: set[str] = set()


@needs_sklearn_1_9
@pytest.mark.parametrize("subject", calls_by_subject())
def test_adversarial_calls(subject: str) -> None:
    found = []
    for call, name in itertools.product(calls_by_subject()[subject], FUNCTIONS):
        if call.only not in (None, name):
            continue
        theirs = outcome(getattr(sklearn.metrics, name), call.make)
        ours = outcome(getattr(fastkappa, name), call.make)
        assert {warning.filename for warning in ours.warnings} <= {__file__}
        if same(theirs, ours):
            continue
        texts = described(theirs), described(ours)
        difference = deliberate(call, *texts)
        if difference is None:
            found.append(
                f"{name}, {call.name}\n  scikit-learn {texts[0]}\n  fastkappa    {texts[1]}"
            )
        else:
            _used.add(difference.why)
    _compared.add(subject)
    assert not found, "\n" + "\n".join(found)


@needs_sklearn_1_9
def test_every_deliberate_difference_is_one() -> None:
    """The list must not outlive its reasons."""
    if _compared != set(calls_by_subject()):
        pytest.skip("not every call was compared in this run")
    assert _used == {difference.why for difference in DELIBERATE}


@needs_sklearn_1_9
@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures(name: str) -> None:
    def parameters(function: Any) -> list[Any]:
        return [
            (parameter.name, parameter.kind, repr(parameter.default))
            for parameter in inspect.signature(function).parameters.values()
        ]

    assert parameters(getattr(fastkappa, name)) == parameters(getattr(sklearn.metrics, name))


# Random calls, on every backend.


def random_call(rng: Any) -> tuple[tuple[Any, Any], dict[str, Any]]:
    n = int(rng.choice([1, 2, 3, 10, 60, 400]))
    n_labels = int(rng.integers(2, 9))
    kind = rng.choice(["zero", "offset", "negative", "gaps", "far", "words", "floats", "bools"])
    labels: Any = {
        "zero": np.arange(n_labels),
        "offset": np.arange(n_labels) + 1,
        "negative": np.arange(n_labels) - 3,
        "gaps": np.sort(rng.choice(100, n_labels, replace=False)),
        "far": np.arange(n_labels) + 10**15,
        "words": np.array([f"label {i}" for i in range(n_labels)]),
        "floats": np.arange(n_labels) / 1.0,
        "bools": np.array([False, True]),
    }[str(kind)]
    y1, y2 = (labels[rng.integers(0, len(labels), n)] for _ in range(2))
    if rng.random() < 0.5:
        y2 = np.where(rng.random(n) < 0.8, y1, y2)
    if labels.dtype.kind == "i" and rng.random() < 0.5 and kind != "far":
        types = ["int8", "int16", ">i4", "int64", "float32"] + ["uint8", "uint64"] * (
            kind != "negative"
        )
        y1, y2 = y1.astype(rng.choice(types)), y2.astype(rng.choice(types))
    if rng.random() < 0.3:
        y1, y2 = y1.tolist(), y2.tolist()
    options: dict[str, Any] = {}
    if rng.random() < 0.4:
        size = int(rng.integers(2, len(labels) + 1))
        options["labels"] = rng.permutation(labels)[:size]
    if rng.random() < 0.4:
        options["sample_weight"] = rng.choice(
            [rng.integers(1, 9, n), rng.random(n) + 0.01]  # type: ignore[arg-type]
        )
    return (y1, y2), options


@pytest.mark.parametrize("seed", range(6))
def test_random_scores(drop_in_backend: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        arguments, options = random_call(rng)
        for weights in (None, "linear", "quadratic"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = sklearn.metrics.cohen_kappa_score(
                        *arguments, weights=weights, **options
                    )
                except ValueError as error:
                    with pytest.raises(ValueError, match=re.escape(str(error))):
                        cohen_kappa_score(*arguments, weights=weights, **options)
                    continue
                value = cohen_kappa_score(*arguments, weights=weights, **options)
            assert type(value) is float
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_random_matrices(drop_in_backend: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        arguments, options = random_call(rng)
        for normalize in (None, "true", "pred", "all"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = sklearn.metrics.confusion_matrix(
                        *arguments, normalize=normalize, **options
                    )
                except ValueError as error:
                    with pytest.raises(ValueError, match=re.escape(str(error))):
                        confusion_matrix(*arguments, normalize=normalize, **options)
                    continue
                matrix = confusion_matrix(*arguments, normalize=normalize, **options)
            assert matrix.dtype == expected.dtype
            np.testing.assert_allclose(matrix, expected, rtol=1e-12, atol=1e-12)


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def laid_out(values: Any, layout: str) -> Any:
    wide = np.zeros(3 * len(values), values.dtype)
    wide[::3] = values
    return {
        "contiguous": values,
        "strided": wide[::3],
        "reversed": values[::-1].copy()[::-1],
        "swapped": values.astype(values.dtype.newbyteorder("S")),
        "read-only": np.frombuffer(values.tobytes(), values.dtype),
        "unaligned": np.frombuffer(b"\0" + values.tobytes(), values.dtype, offset=1),
        "column": values[:, None],
    }[layout]


@pytest.mark.parametrize(
    "layout",
    ["contiguous", "strided", "reversed", "swapped", "read-only", "unaligned", "column"],
)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_short_integer_arrays(drop_in_backend: str, dtype: str, layout: str) -> None:
    """What people call thousands of times: every type, layout, offset and size, all weights."""
    rng = np.random.default_rng(7)
    limits = np.iinfo(dtype)
    for n, n_labels in (
        (1, 2),
        (2, 2),
        (17, 3),
        (64, 5),
        (100, 8),
        (130, 31),
        (130, 32),
        (130, 33),
    ):
        for lowest in {0, 1, int(limits.min), int(limits.max) - n_labels + 1}:
            pool = [lowest + i for i in range(n_labels)]
            y1, y2 = (
                np.array([pool[i] for i in rng.integers(0, n_labels, n)], dtype) for _ in "12"
            )
            table = confusion_counts(y1.tolist(), y2.tolist(), backend="numpy").table
            if len(table) == 1:
                continue
            for weights in (None, "linear", "quadratic"):
                # scikit-learn's own arithmetic on a table of labels 0, 1, 2, ...
                i, j = np.repeat(np.indices(table.shape).reshape(2, -1), table.ravel(), axis=1)
                expected = sklearn.metrics.cohen_kappa_score(
                    i, j, weights=weights, labels=np.arange(len(table))
                )
                value = cohen_kappa_score(
                    laid_out(y1, layout), laid_out(y2, layout), weights=weights
                )
                assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [65_535, 65_536, 65_537, 600_000])
def test_longer_arrays(drop_in_backend: str, n: int) -> None:
    rng = np.random.default_rng(8)
    for offset, dtype in ((0, "int64"), (-3, "int8"), (1, "uint8"), (250, "int32")):
        y1 = rng.integers(0, 6, n)
        y2 = np.where(rng.random(n) < 0.7, y1, rng.integers(0, 6, n))
        for weights in (None, "quadratic"):
            expected = sklearn.metrics.cohen_kappa_score(y1, y2, weights=weights)
            shifted = ((y + offset).astype(dtype) for y in (y1, y2))
            assert cohen_kappa_score(*shifted, weights=weights) == pytest.approx(
                expected, abs=1e-12
            )


def quadratic_of_table(y1: Any, y2: Any, labels: Any) -> float:
    table = confusion_counts(y1, y2, labels=labels, backend="numpy").table
    kappa: float = fastkappa.kappa_from_confusion(table, "quadratic")
    return kappa


LARGE = 1_200_000
LARGE_LABELS: dict[str, tuple[Any, Any]] = {
    "12": (np.arange(12), None),
    "100": (np.arange(100), None),
    "from 1": (np.arange(1, 31), None),
    "below zero": (np.arange(-20, 10), None),
    "far": (np.arange(10**15, 10**15 + 40), None),
    "a gap in the middle": (np.delete(np.arange(20), 7), None),
    "two gaps": (np.delete(np.arange(40), [1, 30]), None),
    "given": (np.arange(20), np.arange(20)),
    "given, with a gap": (np.delete(np.arange(20), 7), np.arange(20)),
    "given, more than occur": (np.arange(20), np.arange(-5, 30)),
    "given, some of them": (np.arange(40), np.arange(10, 25)),
    "given, one missing": (np.arange(20), np.delete(np.arange(20), 7)),
    "given, falling": (np.arange(20), np.arange(20)[::-1]),
    "given, shuffled": (np.arange(12), [3, 0, 4, 1, 5, 9, 2, 6, 8, 7, 10, 11]),
    "given as floats": (np.arange(20), np.arange(20.0)),
}


@pytest.mark.parametrize("dtype", ["int64", "int16", "float64"])
@pytest.mark.parametrize("name", LARGE_LABELS)
def test_quadratic_kappa_of_many_items(drop_in_backend: str, name: str, dtype: str) -> None:
    """Weights are on the positions of labels: a gap in what occurs closes up, if not given."""
    pool, labels = LARGE_LABELS[name]
    if dtype == "int16" and pool[0] > 2**15:
        dtype = "uint64"
    rng = np.random.default_rng(10)
    index = rng.integers(0, len(pool), LARGE)
    other = np.where(rng.random(LARGE) < 0.5, index, rng.integers(0, len(pool), LARGE))
    y1, y2 = pool[index].astype(dtype), pool[other].astype(dtype)
    kappa = cohen_kappa_score(y1, y2, labels=labels, weights="quadratic")
    assert kappa == quadratic_of_table(y1, y2, labels)


@pytest.mark.parametrize("label", [-1, 12, 13, 500, 10**12])
@pytest.mark.parametrize("place", [0, 65_535, 65_536, 700_000, LARGE - 1])
def test_quadratic_kappa_with_a_label_of_one_item(place: int, label: int) -> None:
    y1, y2 = np.random.default_rng(11).integers(0, 12, (2, LARGE))
    y2[place] = label
    kappa = cohen_kappa_score(y1, y2, weights="quadratic")
    assert kappa == quadratic_of_table(y1, y2, None)
    y1[place] = label
    assert cohen_kappa_score(y1, y2, weights="quadratic") == quadratic_of_table(y1, y2, None)


def test_quadratic_kappa_of_many_items_undefined() -> None:
    labels = np.arange(20)
    same_label = np.full(LARGE, 5)
    outside = np.full(LARGE, 77)
    with pytest.warns(UndefinedMetricWarning, match="only one label in common"):
        assert math.isnan(
            cohen_kappa_score(same_label, same_label, labels=labels, weights="quadratic")
        )
    with pytest.warns(UndefinedMetricWarning, match="`y2` contains no labels"):
        assert math.isnan(
            cohen_kappa_score(same_label, outside, labels=labels, weights="quadratic")
        )
    with pytest.raises(ValueError, match="At least one label in `labels` must be present in `y1`"):
        cohen_kappa_score(outside, same_label, labels=labels, weights="quadratic")
    with pytest.raises(ValueError, match="At least one label in `labels` must be present in `y1`"):
        cohen_kappa_score(outside, outside, labels=labels, weights="quadratic")


# What scikit-learn's documentation and tests promise.


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_promises(drop_in_backend: str, weights: Any) -> None:
    rng = np.random.default_rng(9)
    score = functools.partial(cohen_kappa_score, weights=weights)
    for _ in range(30):
        n = int(rng.integers(2, 80))
        y1 = np.concatenate([[0, 1], rng.integers(0, 5, n)])
        y2 = np.concatenate([[1, 0], rng.integers(0, 5, n)])
        kappa = score(y1, y2)
        repeats = rng.integers(0, 4, n + 2)
        repeats[:2] = 1
        order = rng.permutation(n + 2)
        words = np.array(["a", "b", "c", "d", "e"])
        assert score(y2, y1) == kappa
        assert score(y1[order], y2[order]) == kappa
        assert score(words[y1], words[y2]) == kappa
        assert score(y1.tolist(), tuple(y2.tolist())) == kappa
        assert score(y1[:, None], y2) == kappa
        assert score(y1, y2, sample_weight=np.ones(n + 2)) == kappa
        assert score(y1, y2, sample_weight=np.full(n + 2, 7)) == kappa
        assert score(y1, y2, sample_weight=np.full(n + 2, 0.125)) == kappa
        assert score(y1, y2, labels=np.unique([y1, y2])) == kappa
        every = np.unique([y1, y2])
        repeated = score(np.repeat(y1, repeats), np.repeat(y2, repeats), labels=every)
        assert score(y1, y2, sample_weight=repeats, labels=every) == repeated
        assert score(y1, y2, sample_weight=repeats * 0.5, labels=every) == repeated
        assert score(y1[repeats > 0], y2[repeats > 0], labels=every) == score(
            y1, y2, sample_weight=(repeats > 0) * 1.0, labels=every
        )


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("pair", [([1], [1]), ([1], [2]), (["a"], ["a"]), (["a"], ["b"])])
def test_one_item_never_raises(drop_in_backend: str, pair: Any, weights: Any) -> None:
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        kappa = cohen_kappa_score(*pair, weights=weights)
    assert math.isnan(kappa) if pair[0] == pair[1] else kappa == 0


# Beyond scikit-learn.


def test_weight_matrices(drop_in_backend: str) -> None:
    y1, y2 = [0, 1, 2, 2, 3, 1], [0, 2, 2, 1, 3, 1]
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    for matrix, name in ((distance != 0, None), (distance, "linear"), (distance**2, "quadratic")):
        expected = cohen_kappa_score(y1, y2, weights=name)
        for same_matrix in (
            matrix * 1,
            matrix * 0.5,
            (matrix * 1).tolist(),
            np.asfortranarray(matrix),
        ):
            assert cohen_kappa_score(y1, y2, weights=same_matrix) == expected


def test_weight_matrix_is_on_the_positions_of_labels(drop_in_backend: str) -> None:
    """Rows are the first rater's; the order is that of ``labels``."""
    # Table [[4, 1], [2, 3]], margins 5, 5 and 6, 4: observed 3 * 1 + 1 * 2, expected
    # (3 * 5 * 4 + 1 * 5 * 6) / 10, kappa 1 - 50 / 90.
    y1 = [*"xxxxx", *"yyyyy"]
    y2 = [*"xxxxy", *"xxyyy"]
    matrix = [[0, 3], [1, 0]]
    assert cohen_kappa_score(y1, y2, weights=matrix) == 4 / 9
    # With the weights transposed 1 * 1 + 3 * 2 and (1 * 5 * 4 + 3 * 5 * 6) / 10, 1 - 70 / 110.
    transposed = np.transpose(matrix)
    assert cohen_kappa_score(y1, y2, weights=transposed) == 4 / 11
    assert cohen_kappa_score(y2, y1, weights=transposed) == 4 / 9
    assert cohen_kappa_score(y1, y2, weights=matrix, labels=["y", "x"]) == 4 / 11
    assert cohen_kappa_score(y1, y2, weights=transposed, labels=["y", "x"]) == 4 / 9


@pytest.mark.parametrize("name", FUNCTIONS)
def test_labels_given_twice_are_refused(name: str) -> None:
    for labels in ([0, 1, 1], [0, 1, True], [0, 1, 1.0]):
        with pytest.raises(ValueError, match=r"labels must be distinct.* more than once"):
            getattr(fastkappa, name)([0, 1, 1], [1, 1, 0], labels=labels)
    with pytest.raises(ValueError, match="'b' more than once"):
        getattr(fastkappa, name)(["a", "b"], ["a", "b"], labels=["b", "a", "b"])


def test_large_integers_of_two_types(drop_in_backend: str) -> None:
    y1 = np.array([-1, 0, 2, -1])
    y2 = np.array([2**63, 0, 2**64 - 1, 2**63 + 1], np.uint64)
    matrix = confusion_matrix(y1, y2)
    # Labels -1, 0, 2, 2**63, 2**63 + 1, 2**64 - 1.
    expected = np.zeros((6, 6), int)
    expected[0, 3] = expected[0, 4] = expected[1, 1] = expected[2, 5] = 1
    np.testing.assert_array_equal(matrix, expected)


def test_integer_weights_do_not_wrap(drop_in_backend: str) -> None:
    heavy = np.full(4, 2**62)
    y1, y2 = [0, 0, 1, 1], [0, 0, 1, 0]
    assert cohen_kappa_score(y1, y2, sample_weight=heavy) == cohen_kappa_score(y1, y2) == 0.5
    with pytest.raises(OverflowError, match="sample_weight"):
        confusion_matrix(y1, y2, sample_weight=heavy)
    whole = confusion_matrix(y1, y2, sample_weight=np.full(4, 2**32 - 1, np.uint32))
    assert whole.tolist() == [[2 * (2**32 - 1), 0], [2**32 - 1, 2**32 - 1]]


def test_weights_of_any_float_size(drop_in_backend: str) -> None:
    y1, y2 = [0, 0, 1, 1], [0, 0, 1, 0]
    for weight in (5e-324, 1e-300, 1e300, 8e307):
        assert cohen_kappa_score(y1, y2, sample_weight=[weight] * 4) == 0.5


def test_float_weights_whose_sum_is_no_float(drop_in_backend: str) -> None:
    """Two of 1.7e308 in a cell: there is no table, so no number may come back."""
    with pytest.raises(OverflowError, match="sample_weight"):
        cohen_kappa_score([0, 0, 1, 1], [0, 0, 1, 0], sample_weight=[1.7e308] * 4)


# Warnings and errors with and without scikit-learn.


def run(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


PROBE = """
import sys, warnings
{before}
import fastkappa
from fastkappa.exceptions import InvalidParameterError, UndefinedMetricWarning
{after}
with warnings.catch_warnings(record=True) as record:
    warnings.simplefilter("always")
    fastkappa.cohen_kappa_score([1, 1], [1, 1])
    fastkappa.kappa_from_confusion([[2]])
single, undefined, of_table = (warning.category for warning in record)
assert single is UserWarning, single
try:
    fastkappa.cohen_kappa_score([1, 2], [1, 2], weights="cubic")
except ValueError as error:
    invalid = type(error)
assert issubclass(invalid, TypeError)
{checks}
"""


def test_own_classes_without_scikit_learn() -> None:
    run(
        PROBE.format(
            before="",
            after="",
            checks="""
assert undefined is of_table is UndefinedMetricWarning, undefined
assert issubclass(undefined, UserWarning)
assert invalid is InvalidParameterError, invalid
assert not any(name.partition(".")[0] == "sklearn" for name in sys.modules)
""",
        )
    )


@pytest.mark.parametrize("order", ["before", "after"])
def test_its_classes_where_scikit_learn_is_loaded(order: str) -> None:
    parts = {"before": "", "after": "", order: "import sklearn.metrics"}
    run(
        PROBE.format(
            **parts,
            checks="""
import sklearn.exceptions, sklearn.utils._param_validation as validation
assert undefined is of_table is sklearn.exceptions.UndefinedMetricWarning, undefined
assert invalid is validation.InvalidParameterError, invalid
""",
        )
    )


def test_filters_written_for_scikit_learn_work() -> None:
    with pytest.warns(UndefinedMetricWarning), pytest.warns(UserWarning, match="A single label"):
        cohen_kappa_score([1, 1], [1, 1])
    with pytest.raises(InvalidParameterError):
        cohen_kappa_score([1, 2], [1, 2], weights="cubic")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        kappa = cohen_kappa_score([1, 2], [3, 3], labels=[1, 2], replace_undefined_by=0.0)
    assert kappa == 0.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: cohen_kappa_score([1, 1], [1, 1]),
        lambda: cohen_kappa_score(np.array([1, 1]), np.array([1, 1])),
        lambda: cohen_kappa_score([1, 2], [3, 3], labels=[1, 2]),
        lambda: confusion_matrix([1, 1], [1, 1]),
        lambda: fastkappa.kappa_from_confusion([[3]]),
    ],
)
def test_warnings_point_to_the_caller(call: Callable[[], Any]) -> None:
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        call()
    assert record
    for warning in record:
        assert warning.filename == __file__
        assert warning.lineno == call.__code__.co_firstlineno

"""The drop-in functions beside scikit-learn's: values, errors, warnings and their texts.

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
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import fastkappa
from tests.helpers.adversarial_inputs import Call, calls

# The wording and replace_undefined_by are those of scikit-learn 1.9.
pytest.importorskip("sklearn", minversion="1.9")
metrics = pytest.importorskip("sklearn.metrics")

FUNCTIONS = ("cohen_kappa_score", "confusion_matrix")


class Outcome(NamedTuple):
    """The result of a call: a value or an error, and the warnings."""

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
    """Return a message without its variable parts: addresses, orders of sets, and shown values."""
    message = re.sub(r"0x[0-9A-Fa-f]+", "0x", message)
    message = re.sub(r"\{('[^{}]*')\}", lambda found: str(sorted(found[1].split(", "))), message)
    # "Got [0. 1. 2.] and ['a' 'b']": fastkappa shows floats and bools there as integers.
    return re.sub(r"(?<=\(string and number\); Got ).*", "...", message, flags=re.DOTALL)


def described(result: Outcome) -> str:
    """Return an outcome as text, for comparisons and failure messages."""
    if result.error is not None:
        text = f"{type(result.error).__name__}: {wording(str(result.error))}"
    elif isinstance(result.value, np.ndarray):
        text = f"table: {result.value.dtype} {result.value.tolist()}"
    else:
        text = f"value: {result.value!r}"
    # NumPy's warnings about casts, overflow and deprecations are ignored in scikit-learn's
    # calls, but fastkappa must not raise any.
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
        # Code that catches scikit-learn's error also catches ours.
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
    """The outcomes of scikit-learn and fastkappa, as patterns, and the reason why they differ."""

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
        r"^OverflowError: the sums of sample_weight reach \d+, which is beyond int64",
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
        "a missing rating is called missing, not incomparable",
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
    Difference("a missing date is not a label", "", NAN_ERROR, calls="NaT"),
    Difference(
        "strings among numbers in one column get the same error as strings beside numbers",
        r"^TypeError: '<' not supported between instances of '(int|tuple|bytes)' and 'str'",
        MIXTURE,
    ),
    Difference(
        "the error says that a value cannot be a label",
        r"^TypeError: '<' not supported between instances of 'list' and 'str'",
        r"^ValueError: Input y_(true|pred) contains a rating that cannot be a label",
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
        calls="labels (mixed|bytes|complex|dates|strings|pandas strings|None among|objects"
        "|extra beyond)",
    ),
    Difference(
        "labels of several types, some of which occur",
        "^TypeError: '<' not supported",
        "^(value|table)",
        calls="labels (mixed objects|None among|strings with None)",
    ),
    Difference(
        "the error says that labels must be one-dimensional",
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
        "the error for a matrix of disagreement weights names the right shape",
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
        "the error says that ratings are not class labels",
        "^TypeError: ('<' not supported between instances of 'str' and 'int'|.*unhashable type)",
        NOT_SUPPORTED,
        calls="matrix of objects|structured",
    ),
    Difference(
        "ragged lists get the error about sequences of sequences",
        "^ValueError: setting an array element with a sequence",
        "^ValueError: You appear to be using a legacy multi-label data representation",
        calls="ragged",
    ),
    Difference(
        "the error names a sample_weight without numbers",
        r"^(TypeError: len\(\) of unsized object|ValueError: could not convert string to float)",
        "^ValueError: sample_weight must contain numbers: ",
        calls="sample_weight",
    ),
    Difference(
        "sample_weight without a dimension",
        r"^TypeError: len\(\) of unsized object",
        "^TypeError: Input should have at least 1 dimension",
        calls="sample_weight",
    ),
    Difference(
        "an empty sample_weight is refused as too short",
        "^ValueError: all index and data arrays must have the same length",
        r"^ValueError: Found input variables with inconsistent numbers of samples: \[6, 6, 0\]",
    ),
    Difference(
        "weights of three dimensions are refused like those of two",
        "^ValueError: Found array with dim 3, while dim <= 2 is required",
        "^ValueError: Sample weights must be 1D array or scalar, got 3D array",
        calls="sample_weight cube",
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
    """Return the calls grouped by the values they pass, so that a failure shows all such calls."""
    subjects = defaultdict(list)
    for call in calls():
        subject = re.sub(
            r" (twice|with labels|of ints|of letters)$|, (linear|quadratic)$", "", call.name
        )
        subject = re.sub(
            r"^(ints|two ints|strings) beside | beside (ints|two ints|strings)$", "", subject
        )
        subjects[subject].append(call)
    return dict(subjects)


def differences(subject: str) -> tuple[list[str], set[str]]:
    """Return the differences from scikit-learn that are mistakes, and why others are not."""
    found, reasons = [], set()
    for call, name in itertools.product(calls_by_subject()[subject], FUNCTIONS):
        if call.only not in (None, name):
            continue
        theirs = outcome(getattr(metrics, name), call.make)
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
            reasons.add(difference.why)
    return found, reasons


@pytest.mark.every(3)
@pytest.mark.parametrize("subject", calls_by_subject())
def test_adversarial_calls(subject: str) -> None:
    found, _ = differences(subject)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.slow
def test_every_deliberate_difference_is_one() -> None:
    """Each entry of the list must still be needed."""
    needed = set().union(*(differences(subject)[1] for subject in calls_by_subject()))
    assert needed == {difference.why for difference in DELIBERATE}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures(name: str) -> None:
    def parameters(function: Any) -> list[Any]:
        return [
            (parameter.name, parameter.kind, repr(parameter.default))
            for parameter in inspect.signature(function).parameters.values()
        ]

    assert parameters(getattr(fastkappa, name)) == parameters(getattr(metrics, name))

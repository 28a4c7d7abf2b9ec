"""Fuzz the Python readers: each input has an answer or an error of a promised kind.

python -m tests.fuzz.fuzz_readers SECONDS
runs the targets in rotation until the time is over. hypothesis shrinks failures and shows them.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import fastkappa
from fastkappa.accumulator.accumulator import ConfusionAccumulator
from tests.fuzz.damage import damaged
from tests.helpers.command_line import CommandLine
from tests.helpers.lying import CALLS, KINDS
from tests.sources.test_text_lines import cases, check_both_ways

# The errors promised for unreadable input.
REFUSED = (TypeError, ValueError, OverflowError)

labels = st.one_of(
    st.integers(-3, 8),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.text(max_size=4),
    st.none(),
    st.binary(max_size=3),
    st.dates(),
    st.sampled_from([np.nan, -0.0, 2**63, -(2**63), 2**64, "1", "01", " 1", "a\0", float("inf")]),
)
alike = st.one_of(
    st.lists(st.integers(-3, 8)),
    st.lists(st.text(max_size=3)),
    st.lists(st.floats()),
    st.lists(labels),
    st.lists(labels).map(tuple),
)
dtypes = st.one_of(
    npst.integer_dtypes(),
    npst.unsigned_integer_dtypes(),
    npst.floating_dtypes(),
    npst.boolean_dtypes(),
    npst.unicode_string_dtypes(max_len=4),
    npst.byte_string_dtypes(max_len=3),
    npst.complex_number_dtypes(),
    npst.datetime64_dtypes(),
    npst.timedelta64_dtypes(),
)
shapes = npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=30)


@st.composite
def columns(draw: Any) -> Any:
    """Return a column of anything, sometimes as an array with an unusual memory layout."""
    if draw(st.booleans()):
        return draw(alike)
    array = draw(npst.arrays(draw(dtypes), draw(shapes)))
    if array.ndim == 1 and draw(st.booleans()):
        array = array[:: draw(st.sampled_from([-1, 2, 3]))]
    return array


@st.composite
def pairs(draw: Any) -> Any:
    """Return two columns, mostly of equal length."""
    first = draw(columns())
    if draw(st.integers(0, 3)) and getattr(first, "ndim", 1):
        order = draw(st.permutations(range(len(first))))
        same = first[order] if isinstance(first, np.ndarray) else [first[i] for i in order]
        return first, same
    return first, draw(columns())


def quietly(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or None if it is refused."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except REFUSED:
            return None


@given(pairs(), st.sampled_from(["cython", "numba", "numpy"]), st.data())
def columns_are_counted(pair: Any, backend: Any, data: Any) -> None:
    weights = None
    if data.draw(st.booleans()):
        weights = data.draw(columns())
    counts = quietly(
        lambda: fastkappa.confusion_counts(*pair, sample_weight=weights, backend=backend)
    )
    if counts is not None and weights is None:
        assert counts.table.sum() + counts.n_outside == len(pair[0])
    quietly(lambda: fastkappa.cohen_kappa_score(*pair, sample_weight=weights))


@given(pairs(), st.sampled_from([None, "linear", "quadratic"]))
def reports_are_made(pair: Any, weights: Any) -> None:
    result = quietly(lambda: fastkappa.agreement(*pair, weights=weights))
    if result is not None:
        str(result), result.to_dict(), result._repr_html_()


@given(pairs())
def thresholds_are_found(pair: Any) -> None:
    y_true, scores = pair
    result = quietly(lambda: fastkappa.optimal_thresholds(y_true, scores))
    if result is not None:
        assert len(result.thresholds) == len(result.labels) - 1


@given(st.lists(columns(), max_size=4))
def raters_are_compared(raters: Any) -> None:
    quietly(lambda: fastkappa.krippendorff_alpha(raters))
    quietly(lambda: fastkappa.fleiss_kappa(raters))


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inside: st.one_of(
        st.lists(inside, max_size=4), st.dictionaries(st.text(max_size=4), inside, max_size=3)
    ),
    max_leaves=12,
)
example = ConfusionAccumulator()
example.update(["a", "b", "b"], ["a", "a", "b"], sample_weight=[0.5, 1, 2])
FIELDS = json.loads(example.to_json())["accumulator"]


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), json_values, max_size=2), st.integers(0))
def json_is_read(changes: Any, number: int) -> None:
    text = json.dumps({"accumulator": {**FIELDS, **changes}})
    if number % 2:
        rng = np.random.default_rng(number)
        text = damaged(text.encode(), rng).decode(errors="replace")
    try:
        accumulator = ConfusionAccumulator.from_json(text)
    except ValueError:
        return
    assert ConfusionAccumulator.from_json(accumulator.to_json()).counts().table.sum() >= 0
    repr(accumulator), quietly(accumulator.kappa)


@given(st.lists(st.lists(labels.map(str), min_size=2, max_size=2)), st.integers(0))
def text_files_are_counted(rows: Any, number: int) -> None:
    content = "".join(",".join(row) + "\n" for row in [["a", "b"], *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        path.write_bytes(
            damaged(content.encode(errors="surrogateescape"), np.random.default_rng(number))
            if number % 2
            else content.encode(errors="replace")
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = CommandLine("score").run(path, "--y1", "a", "--y2", "b")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception


@given(
    st.sampled_from(sorted(CALLS)),
    st.sampled_from(KINDS),
    st.sampled_from(["int64", "int8", "uint16", "float64"]),
    st.tuples(st.integers(0, 3000), st.integers(0, 3000)),
    st.integers(0, 2**32),
)
def lengths_that_lie(call: Any, kind: Any, dtype: Any, lengths: Any, number: int) -> None:
    """An object with more or fewer items than its length is not read anywhere."""
    said, given = lengths
    rng = np.random.default_rng(number)
    y, items = (rng.integers(1, 5, length).astype(dtype) for length in lengths)
    result = quietly(lambda: CALLS[call](y, kind(items, said)))
    assert result is None or said == given


@given(cases)
def text_files_are_counted_alike(case: Any) -> None:
    check_both_ways(*case)


TARGETS = (
    columns_are_counted,
    reports_are_made,
    thresholds_are_found,
    raters_are_compared,
    json_is_read,
    text_files_are_counted,
    lengths_that_lie,
    text_files_are_counted_alike,
)


def main(seconds: float) -> None:
    """Run the targets in rotation, each time with another seed."""
    end, start = time.monotonic() + seconds, time.time_ns()
    n_runs = 0
    limits = settings(
        max_examples=100,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    targets = [limits(target) for target in TARGETS]
    while time.monotonic() < end:
        seed(start + n_runs)(targets[n_runs % len(targets)])()
        n_runs += 1
    print(f"{n_runs} runs of up to 100 examples")


if __name__ == "__main__":
    main(float(sys.argv[1]))

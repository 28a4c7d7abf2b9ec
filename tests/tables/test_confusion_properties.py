"""Properties of `confusion_counts`, for any ratings."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa import confusion_counts
from fastkappa.kernels import dispatch
from fastkappa.ratings.label_order import is_number
from fastkappa.tables.codecs import LabelRange
from tests.helpers.brute_force_counts import INTEGER_TYPES, assert_counts, expected_counts

# Any ratings include ratings that look like mistakes.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
integers = st.integers(-(2**63), 2**63 - 1)
label_pools = st.lists(
    st.one_of(st.integers(-5, 5), st.integers(-300, 300), integers), min_size=1, max_size=12
)


@st.composite
def pairs(draw: Any) -> tuple[Any, Any]:
    pool = draw(label_pools)
    n = draw(st.integers(1, 60))
    columns = [
        np.array(draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)), np.int64)
        for _ in range(2)
    ]
    return columns[0], columns[1]


def same(a: Any, b: Any) -> bool:
    return (
        a.labels.tolist() == b.labels.tolist()
        and a.table.tolist() == b.table.tolist()
        and a.n_outside == b.n_outside
    )


@given(pair=pairs())
def test_any_integers(backend: str, pair: Any) -> None:
    assert_counts(*pair, backend=backend)


@given(pair=pairs())
def test_swapping_raters_transposes_the_table(backend: str, pair: Any) -> None:
    y1, y2 = pair
    straight = confusion_counts(y1, y2, backend=backend)
    swapped = confusion_counts(y2, y1, backend=backend)
    assert same(straight, swapped._replace(table=swapped.table.T))


@given(pair=pairs(), seed=st.integers(0, 2**32))
def test_order_of_items_does_not_matter(backend: str, pair: Any, seed: int) -> None:
    y1, y2 = pair
    order = np.random.default_rng(seed).permutation(len(y1))
    straight = confusion_counts(y1, y2, backend=backend)
    assert same(straight, confusion_counts(y1[order], y2[order], backend=backend))


@given(pair=pairs(), data=st.data())
def test_tables_of_parts_add_up(backend: str, pair: Any, data: Any) -> None:
    y1, y2 = pair
    cut = data.draw(st.integers(0, len(y1)))
    whole = confusion_counts(y1, y2, backend=backend)
    parts = [
        confusion_counts(y1[part], y2[part], labels=whole.labels, backend=backend)
        for part in (slice(None, cut), slice(cut, None))
        if len(y1[part])
    ]
    assert sum(part.table for part in parts).tolist() == whole.table.tolist()


@given(pair=pairs(), data=st.data())
def test_integer_weights_repeat_items(backend: str, pair: Any, data: Any) -> None:
    y1, y2 = pair
    weights = np.array(
        data.draw(st.lists(st.integers(1, 4), min_size=len(y1), max_size=len(y1))), np.uint8
    )
    weighted = confusion_counts(y1, y2, sample_weight=weights, backend=backend)
    repeated = confusion_counts(np.repeat(y1, weights), np.repeat(y2, weights), backend=backend)
    assert same(weighted, repeated)


@given(
    values=st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=80),
    types=st.tuples(*[st.sampled_from([*INTEGER_TYPES, ">i4", "float32", "float64"])] * 2),
)
def test_types_make_no_difference(values: Any, types: Any) -> None:
    y1, y2 = np.array(values).T
    straight = confusion_counts(y1, y2)
    assert same(straight, confusion_counts(y1.astype(types[0]), y2.astype(types[1])))


@given(pair=pairs(), data=st.data())
def test_backends_agree(pair: Any, data: Any) -> None:
    y1, y2 = pair
    pool = sorted({*y1.tolist(), *y2.tolist(), 0, 7})
    labels = data.draw(
        st.none() | st.lists(st.sampled_from(pool), min_size=1, max_size=8, unique=True)
    )
    available = [name for name in dispatch.BACKENDS if dispatch.why_missing(name) is None]
    first, *others = (confusion_counts(y1, y2, labels=labels, backend=name) for name in available)
    assert all(same(first, other) for other in others)


def is_plain(string: str) -> bool:
    """Return whether a string is not a number and does not end in NUL."""
    return not is_number(string) and not string.endswith("\0")


@given(
    pool=st.lists(st.text(max_size=6).filter(is_plain), min_size=1, max_size=6, unique=True),
    index=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=50),
)
def test_any_strings(backend: str, pool: Any, index: Any) -> None:
    y1, y2 = ([pool[pair[side] % len(pool)] for pair in index] for side in (0, 1))
    counts = confusion_counts(np.array(y1, object), np.array(y2, object), backend=backend)
    labels, table, _ = expected_counts(y1, y2)
    np.testing.assert_array_equal(counts.table, table)
    assert counts.labels.tolist() == labels


@pytest.mark.parametrize("step", [1, 3])
def test_labels_without_agreement(step: int) -> None:
    """Labels that occur only off the diagonal, late in the column, or in only one column."""
    n = step * 210_000
    first, second = (np.zeros(n, np.int64)[::step] for _ in range(2))
    first[1], first[-2], second[5], second[-1] = 3, -4, 3, 9
    expected = Counter(zip(first.tolist(), second.tolist()))
    counts = confusion_counts(first, second)
    labels = counts.labels.tolist()
    assert labels == [-4, 0, 3, 9]
    assert counts.table.tolist() == [[expected[a, b] for b in labels] for a in labels]
    assert LabelRange.of(first)[:2] == (-4, 8)

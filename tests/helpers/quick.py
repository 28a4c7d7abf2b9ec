"""Choose the parameters and examples that `make test` runs. CI runs all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Mapping, Sequence
from itertools import combinations

import pytest

from tests.helpers.backends import IN_CI

# The name of the fixture that runs a test of a public function with each backend.
BACKEND = "backend"


def n_examples(in_ci: int) -> int:
    """Return the number of examples per property, which outside CI is a fifth of ``in_ci``."""
    return in_ci if IN_CI else -(-in_ci // 5)


def covering(rows: Sequence[Mapping[str, Hashable]], strength: int) -> set[int]:
    """Return the indices of a few rows that together contain all combinations of values.

    A combination consists of the values in ``strength`` columns. With a strength of 2, each pair of
    values that occurs in any row also occurs in a chosen row. Backends are not combined with other
    values, because kernel tests do that. The choice is greedy: each step chooses the first row that
    adds the most combinations.
    """
    shown = [_combinations(row, strength) for row in rows]
    missing = set().union(*shown)
    chosen: set[int] = set()
    while missing:
        best = max(range(len(rows)), key=lambda i: (len(shown[i] & missing), -i))
        missing -= shown[best]
        chosen.add(best)
    return chosen


def _combinations(row: Mapping[str, Hashable], strength: int) -> set[tuple[object, ...]]:
    others = sorted(row.keys() - {BACKEND})
    found = set(combinations([(name, row[name]) for name in others], min(strength, len(others))))
    return found | {(BACKEND, row[BACKEND])} if BACKEND in row else found


def mark_what_is_left_out(items: Sequence[pytest.Item]) -> None:
    """Mark the variants of tests that `make test` leaves out as slow.

    Variants are left out of tests with the mark ``every`` or ``cover``, with three parameters, or
    with a backend and another parameter.
    """
    tests = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for variants in tests.values():
        chosen = _chosen(variants)
        for place, variant in enumerate(variants):
            if place not in chosen:
                variant.add_marker(pytest.mark.slow)


def _chosen(variants: Sequence[pytest.Function]) -> Container[int]:
    """Return the indices of the variants of a test that `make test` runs."""
    every = variants[0].get_closest_marker("every")
    if every is not None:
        return range(0, len(variants), every.args[0])
    rows = [_choices(variant) for variant in variants]
    cover = variants[0].get_closest_marker("cover")
    if cover is None and len(rows[0]) < (2 if BACKEND in rows[0] else 3):
        return range(len(variants))
    return covering(rows, 2 if cover is None else cover.args[0])


def _choices(variant: pytest.Function) -> dict[str, tuple[int, ...]]:
    """Return the value of each parameter. Parameters that are set together count as one."""
    # Values are compared by identity: some cannot be hashed, but all variants share the same
    # objects.
    left = {name: id(value) for name, value in variant.callspec.params.items()}
    choices = {}
    for mark in variant.iter_markers("parametrize"):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
        choices[names[0]] = tuple(left.pop(name.strip()) for name in names)
    return choices | {name: (value,) for name, value in left.items()}

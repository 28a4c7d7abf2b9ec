"""The table of other packages' values: new values equal the stored ones and the page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from docs import make_peers_table as made

STORED: dict[str, Any] = made.stored_values()
OF_R: dict[str, Any] = json.loads(made.OF_R.read_text(encoding="utf-8"))
VALUES = list(made.all_values())


@pytest.mark.parametrize("peer", made.PEERS)
def test_stored_values_are_those_of_the_package(peer: str) -> None:
    here, stored = made.version(peer), STORED["versions"][peer]
    if here != stored:
        pytest.skip(f"the stored values are those of {peer} {stored}; here is {here or 'none'}")
    # In float32, the last digits can depend on the processor.
    tolerance = 1e-6 if peer == "torchmetrics" else 1e-9
    assert made.fresh_values(peer) == pytest.approx(STORED["values"][peer], rel=tolerance), (
        "run python -m docs.make_peers_table"
    )


def test_the_page_has_the_stored_values() -> None:
    page = made.PAGE.read_text(encoding="utf-8")
    shown = page.split(made.BEGIN)[1].split(made.END)[0].strip()
    assert shown == made.table(STORED, OF_R), "run python -m docs.make_peers_table"


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.key)
def test_values_here_are_the_published_ones(value: made.Value) -> None:
    if value.published:
        digits = len(value.published) - 1
        assert round(value.own, digits) == float(value.published)
    # Unpublished values have a package that agrees, or a reason for each that does not.
    found = made.given(value, STORED, OF_R)
    others = {peer for peer, other in found.items() if not made.is_same(value.own, other)}
    assert others == value.why.keys()


def test_keys_are_distinct() -> None:
    assert len({value.key for value in VALUES}) == len(VALUES)

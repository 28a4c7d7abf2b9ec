"""Close the figures of a test after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    from matplotlib import pyplot

    pyplot.close("all")

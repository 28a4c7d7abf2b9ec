"""Fixtures that write files in every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.rating_files import WRITERS, pa


@pytest.fixture(params=WRITERS)
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Path]:
    """Write columns to a file in each format."""
    name, writer = WRITERS[request.param]

    def write_columns(**columns: Any) -> Path:
        path = tmp_path / name
        writer(pa.table(columns), path)
        return path

    return write_columns

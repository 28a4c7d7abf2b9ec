"""A fixture that several tests of the command line use."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with a truth and three submissions."""
    from tests.helpers.submission_files import write_submissions

    monkeypatch.chdir(tmp_path)
    write_submissions()
    return tmp_path

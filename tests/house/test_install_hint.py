"""The command to install an optional library, which depends on how pip installed this copy."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fastkappa
from fastkappa.install_hint import install_command

PACKAGE = Path(fastkappa.__file__).parent
FOLDER = "file:///where%20it/lies"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
METADATA = """Metadata-Version: 2.1
Name: fastkappa
Version: 9.9
Provides-Extra: cli
Provides-Extra: frames
Requires-Dist: numpy>=1.24
Requires-Dist: typer>=0.15; extra == "cli"
Requires-Dist: fastkappa[frames]; extra == "cli"
Requires-Dist: pyarrow>=15; extra == "frames"
"""


def command_of_copy(folder: Path, origin: dict[str, Any] | None) -> list[str]:
    """Return the words of the command for a copy with this record from pip."""
    (folder / "fastkappa").symlink_to(PACKAGE)
    record = folder / "fastkappa-9.9.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(METADATA)
    if origin is not None:
        (record / "direct_url.json").write_text(json.dumps(origin))
    code = "from fastkappa.install_hint import install_command as c; print(c('fastkappa[cli]'))"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    return shlex.split(done.stdout)


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (None, ["fastkappa[cli]"]),
        # A source that was removed after the installation cannot be used.
        ({"url": FOLDER, "dir_info": {}}, ["typer>=0.15", "pyarrow>=15"]),
        ({"url": "file:///f.whl", "archive_info": {}}, ["typer>=0.15", "pyarrow>=15"]),
        (
            {"url": "https://a.example/f", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
            [f"fastkappa[cli] @ git+https://a.example/f@{COMMIT}"],
        ),
    ],
    ids=["by name", "folder that is gone", "file that is gone", "repository"],
)
def test_a_copy_names_where_it_came_from(
    tmp_path: Path, origin: dict[str, Any] | None, words: list[str]
) -> None:
    assert command_of_copy(tmp_path, origin) == ["pip", "install", *words]


def test_a_copy_names_the_folder_or_file_that_it_came_from(tmp_path: Path) -> None:
    place = tmp_path / "where it lies"
    place.mkdir()
    for name in ("of a folder", "of a file"):
        (tmp_path / name).mkdir()
    found = command_of_copy(tmp_path / "of a folder", {"url": place.as_uri(), "dir_info": {}})
    assert found == ["pip", "install", f"{place}[cli]"]
    wheel = place / "f.whl"
    wheel.touch()
    found = command_of_copy(tmp_path / "of a file", {"url": wheel.as_uri(), "archive_info": {}})
    assert found == ["pip", "install", f"fastkappa[cli] @ {wheel.as_uri()}"]


def test_an_editable_copy_stays_editable(tmp_path: Path) -> None:
    origin = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    expected = ["pip", "install", "--editable", f"{tmp_path}[cli]"]
    assert command_of_copy(tmp_path, origin) == expected


def test_a_record_of_another_copy_is_not_used(tmp_path: Path) -> None:
    other = {"url": FOLDER, "dir_info": {"editable": True}}
    assert command_of_copy(tmp_path, other) == ["pip", "install", "fastkappa[cli]"]


def test_a_checkout_without_a_record_names_itself(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    other = {"url": FOLDER, "dir_info": {"editable": True}}
    expected = ["pip", "install", "--editable", f"{tmp_path}[cli]"]
    assert command_of_copy(tmp_path, other) == expected


def test_other_libraries_have_their_names() -> None:
    assert install_command("pandas") == "pip install pandas"

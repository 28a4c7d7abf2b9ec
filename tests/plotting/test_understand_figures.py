"""The committed figures of docs/understand equal the figures that the code draws."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PREFIX = "understand_"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all figures, newly drawn."""
    spec = importlib.util.spec_from_file_location("make_understand", DOCS / "make_understand.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("figures")
    module.main(folder)
    return folder


def texts(path: Path) -> list[str]:
    """Return the texts of a picture in order, including the numbers on axes."""
    return re.findall(r"<text[^>]*>(.*?)</text>", path.read_text(encoding="utf-8"), re.DOTALL)


def test_figures_are_those_that_are_committed(drawn: Path) -> None:
    committed = sorted((DOCS / "images").glob(f"{PREFIX}*.svg"))
    assert [path.name for path in committed] == sorted(path.name for path in drawn.iterdir())
    for path in committed:
        assert texts(path) == texts(drawn / path.name), path.name
        assert len(texts(path)) > 3
        assert path.stat().st_size < 60_000


def test_every_figure_is_on_a_page_and_described() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "understand").glob("*.md"))
    shown = re.findall(rf"!\[([^\]]+)\]\(\.\./images/({PREFIX}\w+\.svg)\)", pages)
    names = [name for _, name in shown]
    assert sorted(names) == sorted(path.name for path in (DOCS / "images").glob(f"{PREFIX}*.svg"))
    assert all(len(description) > 40 for description, _ in shown)

"""Each notebook in docs/notebooks runs, and prints its stored output."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def runner() -> Any:
    """Return docs/run_notebooks.py, which is not part of a package."""
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("run_notebooks", DOCS / "run_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown(notebook: dict[str, Any]) -> list[list[str]]:
    """Return the output of each code cell: its text, and the kind of each picture."""
    cells = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [
        ["".join(output.get("text", "")) or _data(output["data"]) for output in outputs]
        for outputs in cells
    ]


def _data(data: dict[str, Any]) -> str:
    kinds = [kind for kind in ("image/png", "text/html") if kind in data]
    return "".join(kinds if "image/png" in data else [*kinds, *data["text/plain"]])


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_notebook_shows_what_is_stored(path: Path, runner: Any) -> None:
    if path.stem == "thresholds_on_new_items":
        pytest.importorskip("sklearn")
        pytest.importorskip("statsmodels")
    stored = runner.read(path)
    assert shown(runner.run(stored, path.name)) == shown(stored)


def test_notebooks_are_there_and_small() -> None:
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        assert path.stat().st_size < 100_000


def test_page_of_a_notebook_has_all_of_it(runner: Any) -> None:
    notebook = runner.read(NOTEBOOKS[0])
    page = runner.as_markdown(notebook, "a.ipynb")
    assert "{download}`Download this notebook <a.ipynb>`" in page
    lines = page.splitlines()
    for cell in notebook["cells"]:
        assert {*"".join(cell["source"]).splitlines()} <= {*lines}
    outputs = [text for cell in shown(notebook) for text in cell if text != "image/png"]
    texts = [text.rstrip() for text in outputs if not text.startswith("text/html")]
    assert 0 < len(texts) < len(outputs)
    assert all(f"```text\n{text}\n```" in page for text in texts)
    assert page.count("````{raw} html\n<") == len(outputs) - len(texts)
    n_pictures = sum(cell.count("image/png") for cell in shown(notebook))
    assert page.count("](data:image/png;base64,") == n_pictures > 0


def test_what_differs_is_noticed(runner: Any) -> None:
    source = ["x = 2\n", "print('two')\n", "x + 1"]
    cell = {"cell_type": "code", "source": source, "outputs": []}
    done = runner.run({"cells": [{"cell_type": "markdown", "source": ["x"]}, cell]}, "made up")
    assert shown(done) == [["two\n", "3"]]
    assert shown(done) != shown({"cells": [cell]})
    with pytest.raises(ZeroDivisionError):
        runner.run({"cells": [{**cell, "source": ["1 / 0"]}]}, "wrong")

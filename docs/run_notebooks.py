"""Run the notebooks of docs/notebooks, and store what their cells print and draw.

python docs/run_notebooks.py [NOTEBOOK ...]

Notebooks are kept with their outputs, so that they can be read where nothing runs them. The
tests run them too, and compare what is printed. Jupyter is not needed: cells are plain Python.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import pyplot

NOTEBOOKS = Path(__file__).parent / "notebooks"


def read(path: Path) -> dict[str, Any]:
    """Return a notebook."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def write(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook as Jupyter would."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def run(notebook: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the notebook with the outputs of its cells, run in order in one fresh namespace."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    count, cells = 0, []
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        pyplot.close("all")
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                outputs = _outputs("".join(cell["source"]), f"{name}, cell {count}", namespace)
                for output in outputs:
                    if output["output_type"] == "execute_result":
                        output["execution_count"] = count
                cell = {**cell, "execution_count": count, "outputs": outputs}
            cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, where: str, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a cell prints, the value of its last expression, and what it draws."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, where, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), where, "eval"), namespace)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append({"data": data, "metadata": {}, "output_type": "execute_result"})
    for number in pyplot.get_fignums():
        figure, picture = pyplot.figure(number), io.BytesIO()
        figure.savefig(picture, format="png", dpi=80, metadata={"Software": None})
        pyplot.close(figure)
        data = {"image/png": [b64encode(picture.getvalue()).decode()], "text/plain": ["<Figure>"]}
        outputs.append({"data": data, "metadata": {}, "output_type": "display_data"})
    return outputs


def as_markdown(notebook: dict[str, Any], name: str) -> str:
    """Return a notebook and its outputs as a page of Markdown, for the site."""
    title, *cells = notebook["cells"]
    heading, _, rest = "".join(title["source"]).partition("\n")
    parts = [heading, f"{{download}}`Download this notebook <{name}>`", rest.strip()]
    for cell in cells:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                picture = "".join(data["image/png"])
                parts.append(f"![What the code above draws](data:image/png;base64,{picture})")
            elif "text/html" in data:
                parts.append(f"````{{raw}} html\n{''.join(data['text/html']).rstrip()}\n````")
            else:
                text = "".join(output.get("text") or data["text/plain"])
                parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def main(paths: list[Path]) -> None:
    """Run notebooks, all of them by default, and write them with their outputs."""
    for path in paths or sorted(NOTEBOOKS.glob("*.ipynb")):
        write(path, run(read(path), path.name))
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])

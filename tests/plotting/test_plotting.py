"""The page about pictures, their names, and the time when matplotlib is loaded."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("agg")

from matplotlib.colors import to_rgb

import fastkappa
from fastkappa.plotting import style
from tests.helpers.fresh_python import run_python
from tests.helpers.pictures import contrast

PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "agreement" / "pictures.md"


def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), {})
    assert len(examples) == 9
    assert len(list(tmp_path.glob("*.svg"))) == 7
    images = re.findall(r"\((\S+/images/\S+)\)", page)
    assert images == [f"../../images/{name}.svg" for name in re.findall(r"## `(plot_\w+)`", page)]
    assert {Path(image).stem for image in images} == set(fastkappa.plotting.__all__)
    for image in images:
        assert 1000 < (PAGE.parent / image).stat().st_size < 60_000


def test_matplotlib_is_loaded_by_the_first_picture_only() -> None:
    code = """
import sys, fastkappa
from fastkappa.plotting import plot_agreement, plot_agreement_chart, plot_bootstrap, plot_confusion
from fastkappa import plotting
from fastkappa.measurements import limits_of_agreement
from fastkappa.plotting import plot_forest, plot_limits_of_agreement
from fastkappa.install_hint import install_command
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = None
class Result:
    replicates, value, interval = [0.0, 1.0], 0.5, (0.0, 1.0)
for plot, argument in (
    (plot_agreement, [[1]]),
    (plot_agreement_chart, [[1]]),
    (plot_confusion, [[1]]),
    (plot_bootstrap, Result),
    (plot_forest, {"a": Result}),
    (plot_limits_of_agreement, limits_of_agreement([1, 2], [1, 3])),
):
    try:
        plot(argument)
    except ImportError as error:
        assert install_command("fastkappa[plot]") in str(error)
    else:
        raise AssertionError(plot)
"""
    run_python(code)


@pytest.mark.slow
def test_pictures_are_drawn_without_a_display(tmp_path: Path) -> None:
    code = f"""
import fastkappa
fastkappa.plotting.plot_agreement([[3, 1], [0, 2]]).figure.savefig({str(tmp_path / "a.png")!r})
"""
    graphical = ("DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND")
    environment = {name: value for name, value in os.environ.items() if name not in graphical}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=environment)
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_colours_are_told_apart_by_all() -> None:
    """Agreement and disagreement differ in simulated red, green and blue blindness."""
    # Viénot, Brettel and Mollon (1999) for the first two; without blue for the third.
    blindness = {
        "red": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
        "green": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
        "blue": [[1, 0, 0], [0, 1, 0], [0, 1, 0]],
    }
    colours = [np.array(to_rgb(c)) ** 2.2 for c in (style.AGREEMENT, style.DISAGREEMENT)]
    for seen in blindness.values():
        one, other = (np.clip(np.array(seen) @ c, 0, 1) ** (1 / 2.2) for c in colours)
        assert contrast(one, other) > 4.5

"""The pages of the command line: commands run, print the output shown, and have these options."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
pytest.importorskip("rich")

import typer

from fastkappa import cli, datasets
from tests.helpers.command_line import CommandLine, write_csv

HOW_TO = Path(__file__).parents[2] / "docs" / "how_to"
PAGES = {
    "command_line.md": 8,
    "command_line/agree.md": 6,
    "command_line/agree_groups_and_files.md": 8,
    "command_line/gate.md": 2,
    "command_line/leaderboard.md": 3,
    "command_line/measure.md": 4,
    "command_line/merge.md": 4,
    "command_line/plan.md": 4,
    "command_line/score.md": 3,
    "command_line/thresholds.md": 4,
    "agreement/repeated_measurements.md": 4,
    "annotation_project.md": 12,
    "clinical_study.md": 7,
}
# The files that commands on the pages write, and their beginnings.
WRITTEN = {
    "report.html": "<!DOCTYPE html>",
    "study.html": "<!DOCTYPE html>",
    "agreement.html": "<!DOCTYPE html>",
    "labelled.csv": "patient,score,predicted\n",
    "forest.svg": "<?xml",
}
CITIES = {"winnipeg": "Winnipeg", "new_orleans": "New Orleans"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the page uses."""
    folder = tmp_path_factory.mktemp("page")
    rated = {city: datasets.load(f"multiple_sclerosis_{city}").expand() for city in CITIES}
    orleans, winnipeg = (np.concatenate(both) for both in zip(*rated.values()))
    random = np.random.default_rng(0)
    n = len(orleans)
    patient = np.arange(n)
    columns = {
        "patient": patient,
        "orleans": orleans,
        "winnipeg": winnipeg,
        "third": random.integers(1, 5, n),
        "city": np.repeat(list(CITIES.values()), [len(y1) for y1, _ in rated.values()]),
        "ward": patient // 3,
    }
    ratings = write_csv(folder / "ratings.csv", **columns).read_text()
    (folder / "semicolons.csv").write_text(ratings.replace(",", ";"))
    (folder / "windows.csv").write_text(ratings, encoding="utf-16")
    head, *rows = ratings.splitlines(keepends=True)
    (folder / "no_names.csv").write_text("".join(rows))
    (folder / "parts").mkdir()
    for i, part in enumerate((rows[:100], rows[100:]), start=1):
        for name in (f"part-{i}.csv", f"parts/{i}.csv"):
            (folder / name).write_text("".join([head, *part]))
    write_csv(
        folder / "long.csv",
        patient=np.tile(patient, 2),
        who=np.repeat(["orleans", "winnipeg"], n),
        diagnosis=np.concatenate([orleans, winnipeg]),
    )
    own = np.random.default_rng(1)
    cuff = own.normal(130, 15, n).round()
    pressure = {name: cuff + own.normal(2, 5, n).round() for name in ("sensor", "third")}
    write_csv(folder / "pressure.csv", patient=patient, cuff=cuff, **pressure, ward=patient // 3)
    write_csv(folder / "cuff.csv", patient=patient, pressure=cuff)
    write_csv(folder / "sensor.csv", patient=patient[::-1], pressure=pressure["sensor"][::-1])
    write_lesions(folder, np.random.default_rng(3))
    (folder / "annotators").mkdir()
    for name in ("ann", "ben", "cat"):
        label = own.integers(1, 4, 20)
        tags = [";".join("xyz"[: 1 + place % 3]) for place in label]
        write_csv(folder / "annotators" / f"{name}.csv", text=range(20), label=label, tags=tags)
    write_annotations(folder, np.random.default_rng(2))
    labels = [1, 2, 3, 4]
    far = np.minimum(abs(np.subtract.outer(labels, labels)), 2)
    weights = {"": labels, **{str(label): far[:, i] for i, label in enumerate(labels)}}
    write_csv(folder / "weights.csv", **weights)
    scores = (0.5 * orleans + random.normal(0, 0.4, n)).round(4)
    write_csv(folder / "oof.csv", patient=patient, diagnosis=orleans, score=scores)
    write_csv(folder / "new.csv", patient=patient[:9], score=scores[:9])
    part = np.where(patient % 3, "private", "public")
    truth = {"patient": patient, "diagnosis": orleans}
    write_csv(folder / "truth.csv", **truth, part=part, ward=patient // 3)
    (folder / "teams").mkdir()
    for i, team in enumerate(("red", "green", "blue")):
        predicted = np.clip(orleans + random.integers(-i, i + 1, n), 1, 4)
        write_csv(folder / "teams" / f"{team}.csv", patient=patient, diagnosis=predicted)
    return folder


def write_lesions(folder: Path, random: np.random.Generator) -> None:
    """Write two readers' and pathology's grades of lesions, and two sizes by each of two tools."""
    lesion = np.arange(150)
    pathology = random.integers(1, 5, 150)
    readers = {
        name: np.where(random.random(150) < wrong, random.integers(1, 5, 150), pathology)
        for name, wrong in (("meyer", 0.2), ("rossi", 0.4))
    }
    grades = {"patient": lesion // 2, "lesion": lesion, "pathology": pathology, **readers}
    write_csv(folder / "lesions.csv", **grades)
    twice, size = np.repeat(lesion, 2), np.repeat(random.normal(20, 4, 150), 2)
    off = np.repeat(random.normal(0.5, 0.7, 150), 2)
    caliper, scan = (size + own + random.normal(0, 0.5, 300) for own in (0, off))
    sizes = {"caliper": caliper.round(1), "scan": scan.round(1)}
    write_csv(folder / "replicates.csv", patient=twice // 2, lesion=twice, **sizes)
    columns = {f"caliper_{i + 1}": caliper[i::2].round(1) for i in (0, 1)}
    write_csv(folder / "sizes.csv", patient=lesion // 2, lesion=lesion, **columns)


def write_annotations(folder: Path, random: np.random.Generator) -> None:
    """Write the files of the page on annotation projects."""
    words = np.array(["negative", "neutral", "positive"])
    texts = np.array([f"t{i:03}" for i in range(60)])
    gold = random.integers(0, 3, 60)
    (folder / "people").mkdir()
    rows = []
    for name, n_wrong in (("ann", 8), ("ben", 12), ("cat", 20), ("model", 10)):
        given = gold.copy()
        given[random.permutation(60)[:n_wrong]] = random.integers(0, 3, n_wrong)
        home = folder if name == "model" else folder / "people"
        write_csv(home / f"{name}.csv", text=texts, label=words[given])
        if name != "model":
            rows += zip(texts, [name] * 60, words[given])
    columns = dict(zip(("text", "annotator", "label"), zip(*rows)))
    source = ["tickets" if int(text[1:]) % 3 else "reviews" for text in columns["text"]]
    write_csv(folder / "export.csv", **columns, source=source)
    second = [(*row[:2], label) for row, label in zip(rows, [*words[gold], *words[gold]])]
    pilot = dict(zip(("text", "annotator", "label"), zip(*rows[:120], *second)))
    write_csv(folder / "pilots.csv", **pilot, version=["v1"] * 120 + ["v2"] * 120)
    rounds = dict(zip(("text", "annotator", "label"), zip(*[*rows[:120], *second])))
    write_csv(folder / "rounds.csv", **rounds, occasion=["first"] * 120 + ["second"] * 120)
    labels = [{label for text, _, label in rows if text == one} for one in texts]
    disputed = [len(given) > 1 for given in labels]
    write_csv(folder / "decided.csv", item=texts[disputed], adjudicated=words[gold][disputed])


def examples(page: Path) -> list[tuple[str, str]]:
    """Return the commands of a page, in order, with the output that the page shows."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    found = (re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE) for block in blocks)
    return [example for block in found for example in block]


def output_of(command: str) -> str:
    """Run a command of the page, in this process unless it needs a shell."""
    name, *arguments = shlex.split(command)
    if name == "fastkappa" and not {"|", ">"} & set(arguments):
        return CommandLine().text_of(*arguments)
    program = f'fastkappa() {{ {shlex.quote(sys.executable)} -m fastkappa "$@"; }}\n'
    root = str(HOW_TO.parents[1])
    done = subprocess.run(
        ["sh", "-c", program + command],
        env={**os.environ, "PYTHONPATH": root, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, ""), command
    return done.stdout


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a shell of Unix")
@pytest.mark.parametrize(("page", "n_commands"), PAGES.items())
def test_the_commands_of_a_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch, page: str, n_commands: int
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(folder)
    found = examples(HOW_TO / page)
    assert len(found) >= n_commands
    for command, shown in found:
        output = output_of(command)
        if shown:
            assert output.strip() == shown.strip()
        for file, start in WRITTEN.items():
            if file in command.split():
                assert (folder / file).read_text(encoding="utf-8").startswith(start)


def commands() -> dict[str, Any]:
    group: Any = typer.main.get_command(cli.make_app())
    return dict(group.commands)


@pytest.mark.parametrize("name", list(commands()))
def test_the_options_of_a_page_are_those_of_its_command(name: str) -> None:
    page = HOW_TO / "command_line" / f"{name}.md"
    lines = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    table = "\n".join(line for line in lines if line.startswith("| `--"))
    named = set(re.findall(r"`(--[\w-]+)`", "\n".join(r.split("|")[1] for r in table.splitlines())))
    there = {
        option
        for parameter in commands()[name].params
        if parameter.param_type_name == "option"
        for option in parameter.opts
        if option.startswith("--")
    }
    assert named == there - {"--help"}

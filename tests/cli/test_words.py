"""Messages of the command line name commands and options, never functions and arguments."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")

import fastkappa
from fastkappa.cli import words
from tests.helpers import public
from tests.helpers.command_line import CommandLine, report_on_nothing, write_csv

program = CommandLine()
# Words that are commands or ordinary English.
ALSO_COMMANDS = {"leaderboard", "agreement", "power", "bootstrap", "datasets", "plotting"}
NAMES = {name.rpartition(".")[2] for name in public.NAMES} - {"load", "names"}
NAMES |= {"from_array", "from_raters", "from_long", "from_counts", "pandas"}
PYTHON = re.compile(
    rf"\b({'|'.join(NAMES - ALSO_COMMANDS)})\b|(?<![-'])\b(y2|y_true)\b(?!')|\b[a-z_]+=|\w\(\w*\)"
)
N = 24
DIGITS = [1 + i % 3 for i in range(N)]
COLUMNS: dict[str, list[Any]] = {
    "id": list(range(N)),
    "a": DIGITS,
    "b": [1 + (i + i // 5) % 3 for i in range(N)],
    "half": [0.5 * (1 + i % 3) for i in range(N)],
    "odd": ["x", *DIGITS[1:]],
    "comma": [f"{d},5" for d in DIGITS],
    "dash": ["-", *("yes" if d > 1 else "no" for d in DIGITS[1:])],
    "case": ["Yes", *("yes" if d > 1 else "no" for d in DIGITS[1:])],
    "word": ["yes" if d > 1 else "no" for d in DIGITS],
    "three": [("low", "mid", "high")[d - 1] for d in DIGITS],
    "far": [(1, 2, 9)[d - 1] for d in DIGITS],
    "day": ["2020-01-01"] * N,
    "many": [f"{i}a" for i in range(N)],
    "gone": ["", *DIGITS[1:]],
    "measured": [d + i / 7 for i, d in enumerate(DIGITS)],
    "share": [0.2] * N,
    "y1": [["no", "yes"][i % 2] for i in range(N)],
}
WEIGHTED = ["--weights", "quadratic"]
SAID = [
    *(
        [*start, column]
        for column in COLUMNS
        if column not in "ab"
        for start in (
            ["score", "FILE", "--y1", "a", "--y2"],
            ["score", "FILE", "--y1", column, "--y2"],
            ["agree", "FILE", *WEIGHTED, "--raters", "a"],
            ["agree", "FILE", "--cluster", "id", "--raters", "a"],
            ["agree", "FILE", *WEIGHTED, "--raters", "a", "b"],
            ["agree", "FILE", "--raters", "a", "b", "word"],
            ["measure", "FILE", "--raters", "a"],
            ["measure", "FILE", "--raters", "a", "b"],
            ["thresholds", "FILE", "--score", "measured", "--y"],
            ["thresholds", "FILE", "--y", "a", "--score"],
            ["leaderboard", "FILE", "FILE", "--id", "id", *WEIGHTED, "--target"],
            ["agree", "FILE", "--item", "id", "--rater", "b", "--rating"],
            ["agree", "FILE", "--raters", "a", "b", "--sample-weight"],
        )
    ),
    ["agree", "FILE", "--raters", *"ab", "--labels", "1,2"],
    ["agree", "FILE", "--raters", *"ab", "word", "--labels", "1,2"],
    ["agree", "FILE", "--raters", *"ab", "--cluster", "id", "--interval-method", "score"],
    ["thresholds", "FILE", "--y", "a", "--score", "measured", "--method", "closed_form"],
    ["plan", "--kappa", "0.8", "--null", "0.8"],
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    columns = {name: [f'"{v}"' if "," in str(v) else v for v in c] for name, c in COLUMNS.items()}
    return write_csv(tmp_path_factory.mktemp("words") / "r.csv", **columns)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_nothing_that_is_said_is_python(file: Path) -> None:
    n_said = 0
    for arguments in SAID:
        result = program.run(*(str(file) if part == "FILE" else part for part in arguments))
        said = result.stderr.replace(str(file), "FILE")
        n_said += bool(said)
        found = PYTHON.search(said)
        assert found is None, (arguments, said)
    # The provoking inputs do cause messages.
    assert n_said > len(SAID) / 2


@pytest.mark.filterwarnings("ignore:the ratings contain 9")
def test_reports_advise_options(tmp_path: Path) -> None:
    columns = {
        "a": DIGITS,
        "b": COLUMNS["b"],
        "c": COLUMNS["far"],
        "ward": [i % 4 for i in range(N)],
    }
    path = write_csv(tmp_path / "r.csv", **columns)
    clustered = ["agree", path, "--raters", "a", "b", "--cluster", "ward"]
    advice = "tend to be too short. Use --distribution t for wider intervals"
    assert advice in " ".join(program.text_of(*clustered).split())
    assert advice in program.text_of(*clustered, "--format", "html")
    given = (DIGITS, COLUMNS["b"])
    options: dict[str, Any] = {"clusters": columns["ward"], "distribution": "t"}
    groups = program.json_of(*clustered, "--group", "c", "--distribution", "t")
    in_groups = fastkappa.agreement_by(*given, groups=COLUMNS["far"], **options)
    assert groups["all"]["interval"] == list(in_groups.pooled.interval)
    by_t = program.json_of(*clustered, "--distribution", "t")
    expected = fastkappa.agreement(*given, **options)
    assert by_t["interval"] == list(expected.interval)
    several = ["agree", path, "--raters", "a", "b", "c", "--distribution", "normal"]
    found = program.json_of(*several)["coefficients"]["conger_kappa"]["interval"]
    given = np.column_stack([columns[name] for name in "abc"])
    assert found == list(fastkappa.conger_kappa(given, distribution="normal").interval)


def test_advice_without_a_column_ends_with_its_period() -> None:
    assert words.in_words_of_options("pass it as sample_weight=.") == "pass it as --sample-weight."


def test_the_same_warning_is_printed_once(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=DIGITS, b=COLUMNS["b"], c=COLUMNS["far"])
    said = program.run("agree", path, "--raters", *"abc", "--bootstrap", 20, "--seed", 1).stderr
    assert said.count("--bootstrap 20 is too few for a 95 % interval") == 1


def test_a_table_of_counts_and_a_row_per_rating(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report_on_nothing(monkeypatch)
    random = np.random.default_rng(0)
    counts = random.multinomial(4, [0.5, 0.3, 0.2], 30)
    path = write_csv(tmp_path / "counts.csv", **dict(zip("abc", counts.T)))
    said = program.run("agree", path, "--raters", *"abc").stderr
    assert "as in a table of counts" in said
    assert PYTHON.search(said) is None
    table = [[52, 4, 1], [7, 61, 9], [2, 6, 43]]
    path = write_csv(tmp_path / "table.csv", **dict(zip("abc", table)))
    said = program.run("agree", path, "--raters", *"abc").stderr
    assert "as in a table that counts pairs of labels" in said
    assert PYTHON.search(said) is None
    path = write_csv(tmp_path / "matrix.csv", rater=["a", "b", "c"], **dict(zip("abc", table)))
    said = program.run("score", path, "--y1", "a", "--y2", "b").stderr
    assert "do not accept a confusion matrix, but the Python package does" in said
    assert PYTHON.search(said) is None
    rows = [(i, j, random.integers(1, 4)) for i in range(20) for j in range(3)]
    path = write_csv(tmp_path / "long.csv", **dict(zip("abc", zip(*rows))))
    said = program.run("agree", path, "--raters", *"abc").stderr
    assert "--item, --rater and --rating" in said
    assert PYTHON.search(said) is None


def test_each_replaced_advice_occurs_in_the_library() -> None:
    """A reworded message of the library would otherwise reach the command line unchanged."""
    others = Path(words.__file__).parents[1].rglob("*.py")
    trees = [ast.parse(path.read_text("utf-8")) for path in others if path.name != "words.py"]
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    texts = [node.value for node in nodes if isinstance(node.value, str)]
    assert [one for one in words.ADVICE if not any(one in text for text in texts)] == []

"""The page of a leaderboard: team names, sorting, and the layout on a phone."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
pytest.importorskip("rich")

from fastkappa.cli.pages.sorting import SCRIPT
from fastkappa.cli.pages.stylesheet import STYLE
from tests.cli.test_pages import Page, check
from tests.helpers.command_line import CommandLine, write_csv

board = CommandLine("leaderboard")
COLUMNS = ("--id", "id", "--target", "y")
LABELS = [1, 2, 3] * 10


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "truth.csv", id=range(30), y=LABELS)
    (tmp_path / "teams").mkdir()
    for name, n_wrong in (("sub_red_v2", 3), ("sub_blue_v1", 6), ("sub_<b>_v1", 9)):
        labels = [*[2] * n_wrong, *LABELS[n_wrong:]]
        write_csv(tmp_path / "teams" / f"{name}.csv", id=range(30), y=labels)
    return tmp_path


def names(*options: Any) -> list[str]:
    found = board.json_of("truth.csv", "teams", *COLUMNS, "--bootstrap", 0, *options)
    return [row["name"] for row in found["rows"]]


def test_names_of_teams_are_found_in_those_of_files(here: Path) -> None:
    paths = ["teams/sub_red_v2.csv", "teams/sub_blue_v1.csv", "teams/sub_<b>_v1.csv"]
    assert names() == paths
    assert names("--name-pattern", r"sub_(.+)_v\d") == ["red", "blue", "<b>"]
    assert names("--name-pattern", r"teams/sub_(.+)\.csv") == ["red_v2", "blue_v1", "<b>_v1"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("sub_(", "--name-pattern 'sub_(' is not a regular expression: "),
        ("sub_.+", "must have exactly one group in parentheses, got 0 in 'sub_.+'"),
        ("(sub)_(.+)", "must have exactly one group in parentheses, got 2"),
        ("sub_(red)", "'sub_(red)' does not match the file name teams/sub_<b>_v1.csv"),
        ("sub_(x?)", "does not match the file name"),
        ("(sub)_", "extracts the name 'sub' from both teams/sub_<b>_v1.csv and teams/sub_blue"),
    ],
)
def test_patterns_that_name_no_team(here: Path, pattern: str, message: str) -> None:
    result = board.run("truth.csv", "teams", *COLUMNS, "--name-pattern", pattern)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_team_that_cannot_be_scored_keeps_its_name(here: Path) -> None:
    write_csv(here / "teams" / "sub_late_v9.csv", id=range(29), y=LABELS[:29])
    result = board.run("truth.csv", "teams", *COLUMNS, "--name-pattern", "sub_(.+)_v")
    assert result.exit_code == 1
    assert "late: its ids differ from the ids of the truth" in " ".join(result.stdout.split())


def test_a_page_has_no_paths_and_no_advice_about_options(here: Path) -> None:
    write_csv(here / "truth.csv", id=range(30), y=LABELS, part=[*"uv"] * 15)
    write_csv(here / "teams" / "sub_late_v9.csv", id=range(29), y=LABELS[:29])
    write_csv(here / "teams" / "sub_other_v1.csv", id=range(30), y=[9, *LABELS[1:]])
    write_csv(here / "teams" / "sub_gap_v1.csv", id=range(30), y=["", *LABELS[1:]])
    write_csv(here / "teams" / "sub_one_v1.csv", id=range(30), grade=LABELS)
    files = ("truth.csv", "teams", *COLUMNS, "--labels", "1,2,3")
    named = (*files, "--name-pattern", "sub_(.+)_v")
    page = board.run(*named, "--format", "html").stdout
    for text in ("--", ".csv", "teams/"):
        assert text not in page.replace("<!--", "").replace("-->", "").split("</style>")[1]
    for text in (
        "late: its ids differ from the ids of the truth: 1 missing (29).<",
        "gap: column &#x27;y&#x27; of gap has 1 missing value in its 30 rows.<",
        "in files without a column &#x27;y&#x27;",
    ):
        assert text in page
    assert "Use --mismatch drop" in " ".join(board.run(*named).stdout.split())
    # With splits, each reason is given once, unless it is different in each split.
    text = " ".join(board.run(*files, "--split", "part").stdout.split())
    assert text.count("sub_gap_v1.csv: column 'y'") == 1
    assert text.index("sub_gap_v1.csv: column 'y'") < text.index("predictions ranked by unweighted")
    assert text.count("sub_one_v1.csv: equal to the truth in every item") == 1


def test_warnings_on_a_page_name_teams_and_no_paths(here: Path) -> None:
    write_csv(here / "teams" / "sub_high_v1.csv", id=range(30), y=[label + 1 for label in LABELS])
    (here / "teams" / "README.md").touch()
    files = (here / "truth.csv", here / "teams", *COLUMNS, "--name-pattern", "sub_(.+)_v")
    found = board.run(*files, "--format", "html")
    assert "Warning: prediction &#x27;high&#x27; seems to number the labels 1" in found.stdout
    for text in (str(here), "left out", "README"):
        assert text not in found.stdout
    left_out, printed = f"1 of 5 files of {here / 'teams'} left out", f"{here / 'teams'}/sub_high"
    assert left_out in found.stderr
    assert printed in found.stderr
    listed = board.json_of(*files)["warnings"]
    assert [text.split(":")[0].split(" seems")[0] for text in listed] == [
        left_out,
        "prediction 'high'",
    ]


def test_numbers_of_items_of_a_file_that_was_not_scored_are_null(here: Path) -> None:
    (here / "empty.csv").touch()
    write_csv(here / "short.csv", id=range(20), y=LABELS[:20])
    options = ("--mismatch", "drop", "--format", "json")
    found = board.run("truth.csv", "empty.csv", "short.csv", *COLUMNS, *options)
    empty, short = json.loads(found.stdout)["rows"]
    numbers = ("n", "coverage", "missing", "extra", "repeated", "other_labels")
    assert [empty[name] for name in numbers] == [None] * 6
    assert [short[name] for name in numbers] == [None, 20 / 30, 10, 0, 0, None]


def test_the_page(here: Path) -> None:
    text = board.text_of(
        *("truth.csv", "teams", *COLUMNS, "--name-pattern", "sub_(.+)_v", "--format", "html")
    )
    page = check(text)
    assert page.of("table") == [{"class": "sortable"}]
    heads = [a for a in page.of("th") if a["scope"] == "col"]
    titles = page.texts_of("th")[: len(heads)]
    assert titles[:6] == ["rank", "name", "kappa", "95 % interval", "difference",
                          "difference interval"]  # fmt: skip
    assert len(set(titles)) == len(titles)
    assert [a.get("class") for a in heads].index("name") == 1
    assert text.count("<script") == 1
    assert "src=" not in SCRIPT
    assert "http" not in text.replace("http://www.w3.org", "")
    # On a phone, the names stay visible while the table is scrolled.
    assert "th.name" in STYLE
    assert ".wide{overflow-x:auto" in STYLE
    assert "position:sticky;left:0" in STYLE


def test_other_pages_have_no_script(here: Path) -> None:
    text = CommandLine("score").text_of("truth.csv", "--y1", "y", "--y2", "id", "--format", "html")
    assert "<script" not in text
    assert "script" not in dict(Page(text).elements)


# The parts of a browser that the script uses.
BROWSER = """
class Element {
  constructor(text) { this.textContent = text; this.attributes = {}; this.cells = []; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  setAttribute(name, value) { this.attributes[name] = value; }
  removeAttribute(name) { delete this.attributes[name]; }
  replaceChildren(child) { this.child = child; this.textContent = child.textContent; }
  addEventListener(kind, call) { this[kind] = call; }
}
const row = texts => Object.assign(new Element(""), {cells: texts.map(text => new Element(text))});
const given = JSON.parse(process.argv[1]);
const head = row(given.head);
const body = {rows: given.rows.map(row), append(...rows) { this.rows = rows; }};
globalThis.document = {
  querySelectorAll: () => [{tHead: {rows: [head]}, tBodies: [body]}],
  createElement: () => new Element(""),
};
"""
CLICKS = """
const seen = given.clicks.map(column => {
  head.cells[column].child.click();
  return [body.rows.map(row => row.cells[1].textContent),
          head.cells.map(cell => cell.getAttribute("aria-sort"))];
});
console.log(JSON.stringify(seen));
"""
ROWS = [
    ["1", "team 10", "0.9123", "-0.5 to 1"],
    ["2", "Team 9", "0.1", "-1.5 to 0"],
    ["2", "alpha", "-0.25", ""],
    ["-", "late", "", ""],
]


def test_a_click_sorts_the_rows() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node to run the script")
    table = {"head": ["rank", "name", "kappa", "interval"], "rows": ROWS}
    given = json.dumps({**table, "clicks": [2, 2, 1, 1, 0, 3]})
    done = subprocess.run(
        [node, "-e", BROWSER + SCRIPT + CLICKS, given], capture_output=True, text=True, check=True
    )
    orders, heads = zip(*json.loads(done.stdout))
    assert list(orders) == [
        ["alpha", "Team 9", "team 10", "late"],
        # Undefined kappas come last in either direction.
        ["team 10", "Team 9", "alpha", "late"],
        ["alpha", "late", "Team 9", "team 10"],
        ["team 10", "Team 9", "late", "alpha"],
        ["team 10", "Team 9", "alpha", "late"],
        ["Team 9", "team 10", "alpha", "late"],
    ]
    assert heads[0] == [None, None, "ascending", None]
    assert heads[1] == [None, None, "descending", None]
    assert heads[2] == [None, "ascending", None, None]


def test_the_title_of_a_page(here: Path) -> None:
    files = ("truth.csv", "teams", *COLUMNS, "--bootstrap", 0, "--title", "Round 2 <final>")
    page = board.text_of(*files, "--format", "html")
    assert "<h1>Round 2 &lt;final&gt;</h1>" in page
    assert "<title>Round 2 &lt;final&gt;</title>" in page
    assert "--title needs --format html." in board.refusal(*files)

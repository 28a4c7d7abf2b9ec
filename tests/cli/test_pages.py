"""Reports as HTML pages, as CSV, and as text for narrow terminals."""

from __future__ import annotations

import csv
import html
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
pytest.importorskip("rich")

from fastkappa.cli.pages.sorting import SCRIPT
from fastkappa.cli.pages.stylesheet import INK, PAPER, STYLE
from fastkappa.install_hint import install_command
from tests.helpers.command_line import CommandLine, write_csv

ODD = [
    "<script>alert(1)</script>",
    "a \"b\" & 'c'",
    "\u200fשלום",
    "long " * 40,
    "=1+1",
    "]]>--><x>",
]
RATERS = ("<script>x()</script>", 'b & "c"', "<!--")
agree = CommandLine("agree")
VOID = {"meta", "path", "use", "rect", "link", "br"}


class Page(HTMLParser):
    """Parse the elements of a page, in order, with attributes and texts; tags must match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self._open[-1] if self._open else "", data))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def texts_of(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]


@pytest.fixture
def ratings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Return ratings whose labels and names contain HTML, with a column of groups."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(2)
    first = random.integers(len(ODD), size=200)
    columns = {RATERS[0]: first}
    for name in RATERS[1:]:
        others = random.integers(len(ODD), size=200)
        columns[name] = np.where(random.random(200) < 0.7, first, others)
    named = {name: [ODD[i] for i in codes] for name, codes in columns.items()}
    named["<g>"] = ["<b>u</b>" if i % 2 else "v" for i in range(200)]
    with open("<i>&.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(named)
        writer.writerows(zip(*named.values()))
    return named


def check(page: str) -> Page:
    """Check the requirements of every page: complete, self-contained and readable."""
    assert page.startswith("<!DOCTYPE html>\n")
    # The only script is a constant, and loads nothing from elsewhere.
    page = page.replace(f"<script>\n{SCRIPT}</script>\n", "")
    read = Page(page)
    assert read.of("html")[0]["lang"] == "en"
    assert len(read.of("title")) == len(read.of("h1")) == 1
    assert {"name": "viewport", "content": "width=device-width,initial-scale=1"} in read.of("meta")
    headings = [int(name[1]) for name, _ in read.elements if re.fullmatch("h[1-6]", name)]
    assert headings[0] == 1
    assert set(headings[1:]) <= {2}
    assert all(head["scope"] in ("col", "row") for head in read.of("th"))
    for tag, attributes in read.elements:
        assert tag not in ("script", "link", "img", "iframe", "object", "foreignobject", "b", "i")
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
    # On a phone, each table and picture is scrolled separately.
    boxes = [box for box in read.of("div") if box.get("class") == "wide"]
    assert len(boxes) == len(read.of("table")) + len(read.of("figure"))
    assert not re.search(r"[{;](min-)?width:\d+px", page)
    names = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(set(names)) == len(names)
    used = re.findall(r'(?:href="|url\()#([^")]+)', page)
    assert set(used) <= set(names)
    # Of these, only the names of XML's own vocabularies contain an address.
    addresses = set(re.findall(r"https?://[^\"' )]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "\u200f" not in page
    return read


@pytest.mark.parametrize(
    ("options", "n_pictures"),
    [
        ((*RATERS[:2],), 1),
        ((*RATERS[:2], "--weights", "linear", "--bootstrap", 50, "--scale", "altman"), 2),
        ((*RATERS[:2], "--group", "<g>"), 1),
        ((*RATERS, "--scale", "cohen"), 2),
        ((*RATERS, "--group", "<g>"), 2),
    ],
)
def test_pages_of_what_is_no_html(
    ratings: dict[str, list[str]], options: tuple[object, ...], n_pictures: int
) -> None:
    pytest.importorskip("matplotlib")
    raters = [f"--raters={name}" for name in options if name in RATERS]
    others = [option for option in options if option not in RATERS]
    arguments = ("<i>&.csv", *raters, *others)
    result = agree.run(*arguments, "--report", "out.html")
    assert result.exit_code == 0, result.stderr
    written = Path("out.html").read_text(encoding="utf-8")
    page = check(written)
    assert page.texts_of("h1")[0].startswith('<i>&.csv: <script>x()</script>, b & "c"')
    pictures = page.of("svg")
    assert len(pictures) == 2 * n_pictures
    assert [p["class"] for p in pictures] == ["light", "dark"] * n_pictures
    assert all(p["role"] == "img" and p["aria-label"] for p in pictures)
    assert len(page.texts_of("figcaption")) == n_pictures
    # The printed report has the same words, except for the lines of its tables.
    without_pictures = agree.run(*arguments, "--format", "html").stdout
    assert len(check(without_pictures).of("svg")) == 0
    assert check(without_pictures).of("th") == page.of("th")


def test_the_page_has_the_figures(ratings: dict[str, list[str]]) -> None:
    options = ("<i>&.csv", *(f"--raters={name}" for name in RATERS[:2]))
    found = agree.json_of(*options)
    page = check(agree.run(*options, "--format", "html").stdout)
    assert f"{found['kappa']:.4f}" in page.texts_of("td")
    counts = [str(count) for row in found["table"] for count in row]
    cells = page.texts_of("td")
    assert all(count in cells for count in counts)
    shown = page.texts_of("th")
    for label in found["labels"]:
        assert (repr(label) if "\u200f" in label else label) in shown
    assert "<script>alert(1)</script>" not in agree.run(*options, "--format", "html").stdout


def test_more_labels_than_a_page_shows(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    a = np.arange(210) % 21
    path = write_csv(tmp_path / "r.csv", a=a, b=np.where(np.arange(210) % 4, a, 20 - a))
    agree.text_of(path, "--raters", "a", "b", "--report", tmp_path / "out.html")
    page = check((tmp_path / "out.html").read_text(encoding="utf-8"))
    assert (
        "The table of 21 labels is too large to show here. For the full table, use --format json."
        in (page.texts_of("p"))
    )
    assert len([text for text in page.texts_of("th") if "kappa of " in text]) == 21


def test_a_page_without_matplotlib_has_no_pictures(
    ratings: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    raters = [f"--raters={name}" for name in RATERS[:2]]
    result = agree.run("<i>&.csv", *raters, "--report", "out.html", "--format", "json")
    assert result.exit_code == 0
    assert "warning: out.html has no plots: " in result.stderr
    assert install_command("fastkappa[plot]") in result.stderr
    assert "has no plots" in json.loads(result.stdout)["warnings"][-1]
    page = check(Path("out.html").read_text(encoding="utf-8"))
    assert any("has no plots" in text for text in page.texts_of("p"))


def test_a_page_that_cannot_be_written(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=[1, 2, 2], b=[1, 2, 1])
    message = agree.refusal(path, "--raters", "a", "b", "--report", tmp_path / "no" / "out.html")
    assert "out.html cannot be written: No such file or directory" in message


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour as defined by WCAG 2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear))


def test_contrast() -> None:
    quiet = re.findall(r"--quiet:(#\w{6})", STYLE)
    stripes = re.findall(r"--stripe:(#\w{6})", STYLE)
    for scheme, own_quiet, stripe in zip(("light", "dark"), quiet, stripes):
        for text in (INK[scheme], own_quiet):
            for behind in (PAPER[scheme], stripe):
                low, high = sorted([luminance(text), luminance(behind)])
                assert (high + 0.05) / (low + 0.05) >= 7


def rules_of(medium: str, selector: str) -> str:
    """Return the declarations that a selector has outside the media rules, or within one."""
    media = dict(re.findall(r"@media ([^{]*)\{((?:[^{}]*\{[^}]*\})*)\}", STYLE))
    outside = re.sub(r"@media [^{]*\{(?:[^{}]*\{[^}]*\})*\}", "", STYLE)
    text = next((text for name, text in media.items() if name == medium), "") if medium else outside
    rules = re.findall(r"([^{}]+)\{([^}]*)\}", text)
    return ";".join(body for names, body in rules if selector in names.strip().split(","))


def test_long_words_stay_within_their_column() -> None:
    """A word longer than the maximum width of a head would cover the next head."""
    assert "max-width" in rules_of("", "th[scope=col]")
    assert "overflow-wrap:break-word" in rules_of("", "th[scope=col]")
    assert "overflow-wrap:anywhere" in rules_of("", "th")
    # On paper, nothing scrolls, so that a table too wide for the page would be cut off.
    assert "overflow-wrap:anywhere" in rules_of("print", "table:not(.sortable) th[scope=col]")
    assert "position:sticky" not in rules_of("", ".wide th.name")


def test_pictures_keep_their_size_on_a_phone() -> None:
    assert rules_of("screen and (max-width:40rem)", "svg") == "max-width:none"


# Other forms.


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def cell(value: float | None) -> str:
    return "" if value is None else repr(value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    random = np.random.default_rng(1)
    a = random.integers(1, 4, 120)
    b, c = (np.where(random.random(120) < 0.6, a, random.integers(1, 4, 120)) for _ in "bc")
    g = np.where(np.arange(120) % 2, "=u", "v")
    return write_csv(tmp_path / "r.csv", a=a, b=b, c=c, g=g, s=a + random.normal(0, 0.5, 120))


def test_csv_of_score(path: Path) -> None:
    options = (path, "--y1", "a", "--y2", "b", "--weights", "linear")
    found = CommandLine("score").json_of(*options)
    rows = rows_of(CommandLine("score").text_of(*options, "--format", "csv"))
    values = {row["statistic"]: float(row["value"]) for row in rows}
    assert values == {
        "n": 120,
        "dropped": 0,
        "outside": 0,
        "kappa": found["kappas"]["linear"],
        "unweighted kappa": found["kappas"]["none"],
        "kappa, linear weights": found["kappas"]["linear"],
        "kappa, quadratic weights": found["kappas"]["quadratic"],
        "observed agreement": found["observed_agreement"],
        "expected agreement": found["expected_agreement"],
    }


def test_csv_of_agree(path: Path) -> None:
    pair = (path, "--raters", "a", "b")
    found = agree.json_of(*pair, "--bootstrap", 40, "--seed", 1)
    rows = rows_of(agree.text_of(*pair, "--bootstrap", 40, "--seed", 1, "--format", "csv"))
    assert [row["statistic"] for row in rows[:4]] == ["n", "dropped", "outside", "kappa"]
    assert [rows[3]["lower"], rows[3]["upper"]] == list(map(repr, found["interval"]))
    assert rows[-1]["statistic"] == "kappa (BCa bootstrap)"
    assert [rows[-1]["lower"], rows[-1]["upper"]] == list(map(repr, found["bootstrap"]["interval"]))
    groups = agree.json_of(*pair, "--group", "g")
    rows = rows_of(agree.text_of(*pair, "--group", "g", "--format", "csv"))
    # A spreadsheet would read the first name as a formula.
    assert [row["group"] for row in rows] == ["'=u", "v", "all items", "'=u - v", rows[-1]["group"]]
    results = [*groups["groups"], groups["all"]]
    assert [row["kappa"] for row in rows[:3]] == [repr(result["kappa"]) for result in results]
    several = agree.json_of(*pair, "c")
    rows = rows_of(agree.text_of(*pair, "c", "--format", "csv"))
    expected = {"n": "120", "missing ratings": "0"}
    expected |= {c["method"]: repr(c["value"]) for c in several["coefficients"].values()}
    expected |= {
        f"kappa of {'abc'[i]}, {'abc'[j]}": repr(several["pairwise"]["kappa"][i][j])
        for i, j in ((0, 1), (0, 2), (1, 2))
    }
    expected |= {f"kappa of label {k['label']}": repr(k["value"]) for k in several["by_label"]}
    each = several["each_rater"]
    for i, name in enumerate("abc"):
        expected |= {
            f"kappa of {name} with the others": repr(each["with_others"]["values"][i]),
            f"difference of {name} from the others": repr(each["difference"]["values"][i]),
            f"Conger's kappa without {name}": repr(each["without"]["values"][i]),
            f"change without {name}": repr(each["change"]["values"][i]),
        }
    expected |= {
        f"agreement on label {k['label']}": repr(k["agreement"]) for k in several["by_label"]
    }
    for i, name in enumerate("abc"):
        for label, count in zip(several["labels"], each["label_counts"][i]):
            expected[f"ratings {label} by {name}"] = str(count)
    expected |= {f"items of {a}, {b}": "120" for a, b in ("ab", "ac", "bc")}
    assert {row["statistic"]: row["value"] for row in rows} == expected


def test_csv_and_html_of_thresholds(path: Path) -> None:
    thresholds = CommandLine("thresholds")
    options = (path, "--y", "a", "--score", "s")
    found = thresholds.json_of(*options)
    rows = rows_of(thresholds.text_of(*options, "--format", "csv"))
    assert [row["label"] for row in rows] == ["1", "2", "3"]
    assert [row["from"] for row in rows] == ["-inf", *map(repr, found["thresholds"])]
    page = check(thresholds.text_of(*options, "--format", "html"))
    assert f"{found['kappa']['thresholds']:.4f}" in page.texts_of("td")


def test_html_of_score_and_leaderboard(path: Path, tmp_path: Path) -> None:
    score = CommandLine("score")
    page = check(score.text_of(path, "--y1", "a", "--y2", "b", "--format", "html"))
    found = score.json_of(path, "--y1", "a", "--y2", "b")
    assert f"{found['kappa']:.4f}" in page.texts_of("td")
    truth = write_csv(tmp_path / "<b>.csv", id=range(9), y=[1, 2, 3] * 3)
    board = CommandLine("leaderboard")
    check(board.text_of(truth, truth, "--id", "id", "--target", "y", "--format", "html"))


@pytest.mark.every(2)
@pytest.mark.parametrize("width", [44, 66, 200])
@pytest.mark.parametrize(
    "options",
    [
        ("agree", "--raters", "a", "b", "--bootstrap", 40, "--seed", 1),
        ("agree", "--raters", "a", "b", "c", "--scale", "landis-koch"),
        ("agree", "--raters", "a", "b", "--group", "g"),
        ("thresholds", "--y", "a", "--score", "s"),
        ("leaderboard", "--id", "id", "--target", "a", "--bootstrap", 50),
    ],
)
def test_numbers_are_whole_in_every_width(
    path: Path, monkeypatch: pytest.MonkeyPatch, width: int, options: tuple[str, ...]
) -> None:
    monkeypatch.chdir(path.parent)
    rows = [line.split(",") for line in path.read_text().splitlines()]
    numbered = [",".join([str(i) if i else "id", *row]) for i, row in enumerate(rows)]
    path.write_text("\n".join(numbered) + "\n")
    Path("other.csv").write_text(path.read_text())
    command, *rest = options
    files = ("r.csv", "other.csv") if command == "leaderboard" else ("r.csv",)
    text = CommandLine(command).text_of(*files, *rest, columns=width)
    wide = CommandLine(command).text_of(*files, *rest, columns=80)
    # The first line contains the name of the file.
    assert max(map(len, text.splitlines()[1:])) <= min(width, 80)
    number = r"-?\d+\.\d+"
    assert sorted(re.findall(number, text)) == sorted(re.findall(number, wide))


def test_escaped_once(ratings: dict[str, list[str]]) -> None:
    options = ("<i>&.csv", *(f"--raters={name}" for name in RATERS[:2]), "--format", "html")
    assert "&amp;amp;" not in agree.run(*options).stdout
    assert html.escape("a \"b\" & 'c'") in agree.run(*options).stdout


def test_every_form_warns(ratings: dict[str, list[str]]) -> None:
    options: tuple[Any, ...] = ("<i>&.csv", *(f"--raters={name}" for name in RATERS[:2]))
    page = agree.run(*options, "--weights", "linear", "--format", "html")
    assert "assumed to be alphabetical" in page.stderr
    assert any("assumed to be alphabetical" in text for text in Page(page.stdout).texts_of("p"))

"""The pages in docs/: each public name is documented, and links work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ci import docs_links
from tests.helpers.public import NAMES

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
PAGES += [page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts]


def test_every_public_name_is_in_the_reference_once() -> None:
    listed = [
        name
        for page in REFERENCE.glob("*.md")
        for name in re.findall(
            r"^(?:   |\.\. py:data:: fastkappa\.)([\w.]+)$", page.read_text(encoding="utf-8"), re.M
        )
    ]
    assert len(listed) == len(set(listed))
    # The reference also has functions that `bootstrap` accepts.
    public = {name for name in listed if not name.startswith("statistics.")}
    assert public == {*NAMES}


def test_every_public_function_answers_a_question() -> None:
    page = (REFERENCE / "which_function.md").read_text(encoding="utf-8")
    answers = re.findall(r"^\| .* \| (.*) \|$", page, re.M)
    named = [name for answer in answers for name in re.findall(r"`([\w.]+)`", answer)]
    # Results and warnings are not called, and neither are the classes of published ratings.
    functions = {
        name
        for name in NAMES
        if not name.startswith("results.") and not name.endswith(("Warning", "Table", "Items"))
    }
    assert len(named) == len(set(named))
    assert set(named) == functions


def test_every_page_of_the_reference_is_in_its_index() -> None:
    index = (REFERENCE / "index.md").read_text(encoding="utf-8").splitlines()
    assert {page.stem for page in REFERENCE.glob("*.md")} - {"index"} <= set(index)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as code hosts and MyST define them."""
    headings = re.findall(r"^#+ (.*)$", without_code(page), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def without_code(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def links(page: Path) -> Iterator[str]:
    """Yield the links from a page to files of the project."""
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page)):
        if not re.match(r"[a-z]+:", link):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere_where_pages_are_plain_files(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_pages_without_links_both_ways_are_found(tmp_path: Path) -> None:
    pages = {
        "how_to/both.html": '<a href="../reference/generated/f.html#f">f</a>',
        "how_to/there.html": '<a href="../reference/generated/g.html">g</a>',
        "how_to/index.html": "",
        "_modules/f.html": "",
        "reference/index.html": '<a href="generated/f.html">f</a>',
        "reference/generated/f.html": '<a href="../../how_to/both.html">both</a>',
        "reference/generated/g.html": '<a href="https://a.example/how_to/there.html">there</a>',
    }
    menu = "".join(f'<a href="/{name}"></a><a href="../../{name}"></a>' for name in pages)
    for name, article in pages.items():
        page = tmp_path / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"<nav>{menu}</nav><article>{article}</article>", encoding="utf-8")
    guides, reference = docs_links.pages_of(tmp_path)
    assert [page.name for page in guides] == ["both.html", "there.html"]
    assert [page.name for page in docs_links.unlinked(guides, reference)] == ["there.html"]
    assert [page.name for page in docs_links.unlinked(reference, guides)] == ["g.html"]
    assert docs_links.main(tmp_path) == 1


def test_the_readme_claims_what_its_table_shows() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (claim,) = re.findall(r"more than (\d+) times as fast", readme)
    rows = re.findall(r"^\| u?int\d+ \|.*$", readme, re.M)
    assert len(rows) > 10
    for row in rows:
        ratio = row.split("|")[4].strip()
        assert not ratio or float(ratio) > float(claim)


def test_the_readme_names_every_command() -> None:
    cli = pytest.importorskip("fastkappa.cli")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    start = readme.index("[The command line]")
    named = set(re.findall(r"`(?:fastkappa )?([a-z]+)`", readme[start : readme.index("##", start)]))
    assert named >= {*cli.COMMANDS} - {"config"}


@pytest.mark.parametrize(("page", "limit"), [("README.md", 110), ("CONTRIBUTING.md", 180)])
def test_the_first_pages_to_read_are_short(page: str, limit: int) -> None:
    assert len((ROOT / page).read_text(encoding="utf-8").splitlines()) < limit


def test_pages_of_tasks_are_short() -> None:
    pages = (ROOT / "docs" / "how_to").rglob("*.md")
    words = {str(page): len(page.read_text(encoding="utf-8").split()) for page in pages}
    assert {name: n for name, n in words.items() if n > 1200} == {}


GUIDES = ("CONTRIBUTING.md", "ci/README.md", "bench/README.md")
FOLDERS = ("fastkappa", "tests", "ci", "docs", "bench", ".github")


@pytest.fixture(scope="module")
def files() -> list[Path]:
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return [*found, *ROOT.iterdir()]


@pytest.mark.parametrize("guide", GUIDES)
def test_files_that_guides_name_are_there(guide: str, files: list[Path]) -> None:
    named = re.findall(r"`([\w./]+(?:\.(?:py|pyx|pxd|h|md|R|txt)|/))`", without_code(ROOT / guide))
    there = {f"/{path.relative_to(ROOT).as_posix()}" for path in files}
    made = {"bench/results/", "cli/commands/NAME.py"}
    assert len(named) > 15
    for name in {*named} - made:
        assert any(path.endswith(f"/{name.rstrip('/')}") for path in there), name


def test_names_that_recipes_give_are_in_the_code(files: list[Path]) -> None:
    named = set(re.findall(r"`(\w{4,})`", without_code(ROOT / "CONTRIBUTING.md")))
    words: set[str] = set()
    for path in files:
        if path.suffix in (".py", ".pyx", ".h") and path.name != Path(__file__).name:
            words.update(re.findall(r"\w{4,}", path.read_text(encoding="utf-8")))
    assert len(named) > 40
    assert named <= words


@pytest.mark.parametrize("guide", [*GUIDES, "README.md"])
def test_targets_of_make_that_guides_name_are_there(guide: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {word for line in re.findall(r"^([\w -]+):", makefile, re.M) for word in line.split()}
    text = (ROOT / guide).read_text(encoding="utf-8")
    assert {*re.findall(r"(?:`|    )make ([\w-]+)", text)} <= targets


def test_headings_in_docstrings_have_lines_of_their_own() -> None:
    """Rewrapping the text would join a numpydoc heading to the paragraph below."""
    joined = re.compile(r"\w +-{4,}|-{4,} +\w")
    found = [
        (file.name, line)
        for file in (ROOT / "fastkappa").rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if joined.search(line)
    ]
    assert not found

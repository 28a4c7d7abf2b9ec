"""Check that guide pages and reference pages of the built site link to each other.

usage: python ci/docs_links.py [SITE]

SITE is docs/_build/html by default. A guide page is linked if it links to a reference page that
links back to it. The same applies to reference pages. Links in menus do not count. The pages that
are not linked are printed. The exit status is 1 if more than a tenth of either kind is unlinked.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
LEAST = 0.9


class Links(HTMLParser):
    """Collect the links of a page's article, without its menus."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._inside = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "article":
            self._inside += 1
        elif tag == "a" and self._inside:
            self.found.add(dict(attributes).get("href") or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self._inside -= 1


def links_of(page: Path) -> set[Path]:
    """Return the pages of the site to which the article of a page links."""
    parser = Links()
    parser.feed(page.read_text(encoding="utf-8"))
    parts = [urlsplit(link) for link in parser.found]
    local = [part.path for part in parts if part.path and not part.netloc]
    return {(page.parent / path).resolve() for path in local}


def pages_of(site: Path) -> tuple[list[Path], list[Path]]:
    """Return the guide pages and the reference pages of a site, without index pages."""
    reference = site / "reference" / "generated"
    guides = [
        page
        for folder in site.iterdir()
        if folder.is_dir() and folder.name[0] not in "_." and folder != reference.parent
        for page in folder.rglob("*.html")
        if page.name != "index.html"
    ]
    return sorted(guides), sorted(reference.glob("*.html"))


def unlinked(pages: list[Path], others: list[Path]) -> list[Path]:
    """Return the pages without a link to a page of the other kind that links back."""
    back = {page: links_of(page) for page in others}
    return [
        page
        for page in pages
        if not any(page in back[other] for other in links_of(page) if other in back)
    ]


def main(site: Path) -> int:
    """Print the counts and the unlinked pages, and return the exit status."""
    site = site.resolve()
    guides, reference = pages_of(site)
    status = 0
    for kind, pages, others in (
        ("guide pages", guides, reference),
        ("reference pages", reference, guides),
    ):
        alone = unlinked(pages, others)
        print(f"{len(pages) - len(alone)} of {len(pages)} {kind} are linked both ways")
        for page in alone:
            print(f"    not linked: {page.relative_to(site)}")
        if len(pages) - len(alone) < LEAST * len(pages) or not pages:
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "_build" / "html"))

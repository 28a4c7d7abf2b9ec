"""A Sphinx extension that links the guide pages and the pages of the reference, both ways.

Inline code with a public name, such as `agreement` or `fastkappa.agreement(...)`, becomes a link
to the page of that name. (sphinx-codeautolink does the same in blocks of code.)
In return the page of a name lists the guide pages that use it. The names are those that the
reference describes: there is no list to keep.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from docutils import nodes

PACKAGE = "fastkappa."
OF_MODULES = ("class", "data", "exception", "function")
NAME = re.compile(r"(?<![\w.])(?:fastkappa\.)?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
# A page of the reference names the guides that use it most, and those that use no other page more.
LARGEST_LIST = 12


class Target(NamedTuple):
    """A place in the reference."""

    page: str
    anchor: str


def targets(env: Any) -> dict[str, Target]:
    """Return where each name is described: names in fastkappa, and others by their last part.

    The last part alone must be unmistakable: it belongs to one object of a module, and is more
    than a plain word such as `load`.
    """
    found: dict[str, Target] = {}
    short = defaultdict(set)
    for name, entry in env.domains["py"].objects.items():
        target = Target(entry.docname, entry.node_id)
        if name.startswith(PACKAGE):
            found[name.removeprefix(PACKAGE)] = target
            last = name.rpartition(".")[2]
            if entry.objtype in OF_MODULES and not _is_plain(last):
                short[last].add(target)
    for last, places in short.items():
        if len(places) == 1:
            found.setdefault(last, *places)
    return found


def is_guide(page: str) -> bool:
    """Return whether a page is in a folder other than that of the reference."""
    return "/" in page and not page.startswith("reference/")


def inline_names(
    page: str, document: nodes.document, where: dict[str, Target]
) -> Iterator[tuple[nodes.literal, Target]]:
    """Yield the inline code that can be linked, with the place of the first name in it."""
    for literal in document.findall(nodes.literal):
        for name in NAME.finditer(literal.astext()):
            # Within code a plain word, such as `power`, is another thing.
            if name[1] in where and (name.start() == 0 or not _is_plain(name[1])):
                if not _is_elsewhere(page, literal):
                    yield literal, where[name[1]]
                break


def _is_plain(name: str) -> bool:
    """Return whether a name looks like a word."""
    return name.isalpha() and name.islower()


def _is_elsewhere(page: str, literal: nodes.literal) -> bool:
    """Return whether code is linked already, in a heading, or another library's."""
    node: nodes.Node = literal
    while node.parent is not None:
        if isinstance(node, (nodes.reference, nodes.title)) or node.tagname == "pending_xref":
            return True
        # The first column of a table has the other library's functions.
        if page.startswith("coming_from/") and isinstance(node, nodes.entry):
            return node.parent.index(node) == 0
        node = node.parent
    return False


def find_uses(app: Any, env: Any) -> list[str]:
    """Count how often each guide page uses each name, in prose and in code."""
    where = targets(env)
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    for page in env.found_docs:
        if is_guide(page):
            for _, target in inline_names(page, env.get_doctree(page), where):
                uses[target.page][page] += 1
    for page, blocks in getattr(env, "sphinx_codeautolink_transforms", {}).items():
        names = [name.resolved_location for block in blocks for name in block.names]
        for name in names if is_guide(page) else ():
            known = where.get(str(name).removeprefix(PACKAGE))
            if known is not None:
                uses[known.page][page] += 1
    app.names, app.uses = where, uses
    return []


def find_name(app: Any, env: Any, node: Any, shown: nodes.Node) -> nodes.Node | None:
    """Return a link for a name in a docstring that is described in another module."""
    target = app.names.get(node.get("reftarget")) if node.get("refdomain") == "py" else None
    if target is None:
        return None
    uri = app.builder.get_relative_uri(node["refdoc"], target.page) + f"#{target.anchor}"
    return nodes.reference("", "", shown, refuri=uri, internal=True)


def link_names(app: Any, document: nodes.document, page: str) -> None:
    """Link the names in a page, and list the guides on a page of the reference."""
    for literal, target in list(inline_names(page, document, app.names)):
        if target.page != page:
            uri = app.builder.get_relative_uri(page, target.page) + f"#{target.anchor}"
            link = nodes.reference("", "", refuri=uri, internal=True)
            literal.replace_self(link)
            link += literal
    guides = app.uses.get(page) if page.startswith("reference/generated/") else None
    if guides:
        title = next(iter(document.findall(nodes.title)))
        title.parent.insert(title.parent.index(title) + 1, _list_of(app, page, guides))


def _list_of(app: Any, page: str, guides: Counter[str]) -> nodes.paragraph:
    """Return a line with the guides that use a name most, by their titles."""
    line = nodes.paragraph("", "Guides: ", classes=["guides"])
    in_order = sorted(guides, key=lambda guide: (-guides[guide], guide))
    listed = [
        guide
        for i, guide in enumerate(in_order)
        if i < LARGEST_LIST or _is_most_used(app.uses, page, guide)
    ]
    for i, guide in enumerate(listed):
        title = app.env.titles[guide].astext()
        uri = app.builder.get_relative_uri(page, guide)
        line += nodes.Text(", " if i else "")
        line += nodes.reference("", title, refuri=uri, internal=True)
    return line


def _is_most_used(uses: dict[str, Counter[str]], page: str, guide: str) -> bool:
    """Return whether a guide uses no other page of the reference more than this one."""
    return uses[page][guide] == max(counts[guide] for counts in uses.values())


def setup(app: Any) -> dict[str, bool]:
    # After sphinx-codeautolink has found what the names in code mean.
    app.connect("env-updated", find_uses, priority=900)
    app.connect("missing-reference", find_name)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

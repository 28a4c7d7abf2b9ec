"""Build the command that installs an optional library.

The command depends on the origin of the installed copy of fastkappa.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PACKAGE = "fastkappa"


def install_command(requirement: str) -> str:
    """Return the command that installs a library, or an extra such as 'fastkappa[cli]'.

    If this copy was installed from a folder, a file or a repository, a package index might lack
    fastkappa or have another version. The command therefore names the origin of this copy, which
    pip records (PEP 610).
    """
    import shlex

    name, bracket, extra = requirement.partition("[")
    if name != PACKAGE:
        return f"pip install {shlex.quote(requirement)}"
    extra = bracket + extra
    root = Path(__file__).parents[1]
    origin = _origin_of(root)
    url = str(origin.get("url", ""))
    if url.startswith("file:") and not Path(_path_of(url)).exists():
        # The package was installed from local files that no longer exist, as often happens in
        # containers.
        return f"pip install {shlex.join(_libraries_of(extra[1:-1]) or [requirement])}"
    if "dir_info" in origin:
        options = "--editable " if origin["dir_info"].get("editable") else ""
        return f"pip install {options}{shlex.quote(_path_of(url) + extra)}"
    if "vcs_info" in origin:
        vcs = origin["vcs_info"]
        url = f"{vcs['vcs']}+{url}@{vcs['commit_id']}"
    elif not url:
        if (root / "pyproject.toml").is_file():
            return f"pip install --editable {shlex.quote(f'{root}{extra}')}"
        return f"pip install {shlex.quote(requirement)}"
    return f"pip install {shlex.quote(f'{PACKAGE}{extra} @ {url}')}"


def _origin_of(root: Path) -> dict[str, Any]:
    """Return pip's record of where the copy in ``root`` came from, or {} for a package index."""
    import json
    from importlib import metadata

    for distribution in metadata.distributions(name=PACKAGE):
        record = distribution.read_text("direct_url.json")
        origin: dict[str, Any] = json.loads(record) if record else {}
        editable = origin.get("dir_info", {}).get("editable")
        folder = _path_of(origin["url"]) if editable else distribution.locate_file("")
        if Path(str(folder)).resolve() == root.resolve():
            return origin
    return {}


def _libraries_of(extra: str) -> list[str]:
    """Return the requirements of an extra, from the metadata of this copy."""
    from importlib import metadata

    found = []
    for requirement in metadata.requires(PACKAGE) or ():
        library, _, condition = requirement.partition(";")
        if re.search(f"extra == ['\"]{extra}['\"]", condition):
            own = re.match(rf"{PACKAGE}\[(.*)\]", library)
            names = own[1].split(",") if own else []
            found += [one for name in names for one in _libraries_of(name)] or [library.strip()]
    return found


def _path_of(url: str) -> str:
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    return url2pathname(urlsplit(url).path)

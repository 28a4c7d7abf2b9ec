"""Install the packages for comparisons that pip cannot install alongside the others.

irrCAC 0.4.4 pins an old SciPy and an older pandas than the tests use. It works with newer versions,
so it is installed without its dependencies. The other packages are in the group ``test``.

usage: python ci/install_peers.py
"""

from __future__ import annotations

import subprocess
import sys

WITHOUT_DEPENDENCIES = ("irrCAC==0.4.4",)


def main() -> None:
    """Install the packages without their dependencies."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps"]
    subprocess.run([*command, *WITHOUT_DEPENDENCIES], check=True)


if __name__ == "__main__":
    main()

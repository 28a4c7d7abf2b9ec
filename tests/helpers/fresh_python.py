"""Run code in a Python process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 120


def run_python(code: str, *arguments: object, **environment: str) -> str:
    """Run code that must succeed, by default without a warning, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        # What is tested is this tree, whichever one is installed.
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

"""Run code in a separate Python process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 120


def run_python(code: str, *arguments: object, **environment: str) -> str:
    """Run code, check that it succeeds (by default without warnings), and return its output."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        # Test this source tree, even if another version is installed.
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

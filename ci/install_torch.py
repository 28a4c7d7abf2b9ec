"""Install PyTorch for the array-API tests, where that does not bring gigabytes of CUDA.

The package index has builds for the CPU alone on some systems and not on others, so the
resolver is asked first what an installation would bring.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip and return what it printed."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)


def main() -> None:
    """Install PyTorch, or say why it is left out."""
    if importlib.util.find_spec("torch") is not None:
        return
    # The first may lie in a folder of wheels that pip knows, built for the CPU.
    for requirement in ("torch==2.13.0", "torch>=2.5"):
        plan = pip("--dry-run", "--report", "-", "--only-binary", ":all:", requirement)
        if plan.returncode != 0:
            continue
        names = [item["metadata"]["name"] for item in json.loads(plan.stdout)["install"]]
        if not any(name.startswith(("nvidia", "cuda")) for name in names):
            pip(requirement)
            return
    print("PyTorch is left out, for its build for this system would bring CUDA. Its array-API")
    print("tests are skipped; install a build for the CPU to run them.")


if __name__ == "__main__":
    main()

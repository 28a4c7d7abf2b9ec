"""Install PyTorch, and what needs it, where that does not bring gigabytes of CUDA.

The package index has builds for the CPU alone for some systems and not for others, so
the resolver is asked first what an installation would bring.

usage: python ci/install_torch.py [PACKAGE that needs PyTorch ...]
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

# The first may be in a folder of wheels that pip knows, built for the CPU.
REQUIREMENTS = ("torch==2.13.0", "torch>=2.5")


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip and return what it printed."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)


def brings_cuda(requirement: str) -> bool:
    """Return whether an installation would bring CUDA, or cannot be planned."""
    plan = pip("--dry-run", "--report", "-", "--only-binary", ":all:", requirement)
    if plan.returncode != 0:
        return True
    names = [item["metadata"]["name"] for item in json.loads(plan.stdout)["install"]]
    return any(name.startswith(("nvidia", "cuda")) for name in names)


def main(packages: list[str]) -> None:
    """Install PyTorch and the packages, or print why they are left out."""
    if importlib.util.find_spec("torch") is None:
        requirement = next((name for name in REQUIREMENTS if not brings_cuda(name)), None)
        if requirement is None:
            print("PyTorch is left out: its build for this system would bring CUDA. What needs")
            print("it is left out too; install a build for the CPU yourself to have it.")
            return
        packages = [requirement, *packages]
    if packages:
        pip(*packages).check_returncode()


if __name__ == "__main__":
    main(sys.argv[1:])

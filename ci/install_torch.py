"""Install PyTorch and packages that need it, unless this would add gigabytes of CUDA.

The package index has CPU builds for some systems only. Therefore, the resolver first lists the
packages that would be installed.

usage: python ci/install_torch.py [PACKAGE that needs PyTorch ...]
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

# The requirements to try in order. For the pinned version, pip can find a CPU build in a local
# folder of wheels.
REQUIREMENTS = ("torch==2.13.0", "torch>=2.5")


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip, and return its output."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)


def brings_cuda(requirement: str) -> bool:
    """Return whether an installation would include CUDA, or cannot be resolved."""
    plan = pip("--dry-run", "--report", "-", "--only-binary", ":all:", requirement)
    if plan.returncode != 0:
        return True
    names = [item["metadata"]["name"] for item in json.loads(plan.stdout)["install"]]
    return any(name.startswith(("nvidia", "cuda")) for name in names)


def main(packages: list[str]) -> None:
    """Install PyTorch and the packages, or print the reason why they are left out."""
    if importlib.util.find_spec("torch") is None:
        requirement = next((name for name in REQUIREMENTS if not brings_cuda(name)), None)
        if requirement is None:
            print("PyTorch and packages that need it are left out, because the build for this")
            print("system would install CUDA. To use them, install a CPU build of PyTorch.")
            return
        packages = [requirement, *packages]
    if packages:
        pip(*packages).check_returncode()


if __name__ == "__main__":
    main(sys.argv[1:])

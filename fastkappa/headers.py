"""Where the C headers are that the compiled kernels are declared in."""

from __future__ import annotations

from pathlib import Path


def get_include() -> str:
    """Return the folder of the C headers, for Cython code that takes kernels by ``cimport``.

    Returns
    -------
    folder : str
        What ``include_dirs`` of an extension must have in it.

    Examples
    --------
    >>> import os, fastkappa
    >>> "kernels.h" in os.listdir(fastkappa.get_include())
    True
    """
    return str(Path(__file__).parent / "kernels" / "c")

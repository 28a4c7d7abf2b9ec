"""Locate the C headers that declare the compiled kernels."""

from __future__ import annotations

from pathlib import Path


def get_include() -> str:
    """Return the folder of the C headers, for Cython code that cimports the kernels.

    Returns
    -------
    folder : str
        A path to add to the ``include_dirs`` of an extension.

    Examples
    --------
    >>> import os, fastkappa
    >>> "kernels.h" in os.listdir(fastkappa.get_include())
    True
    """
    return str(Path(__file__).parent / "kernels" / "c")

"""Locate the C headers that declare the compiled kernels."""

from __future__ import annotations

from pathlib import Path


def get_include() -> str:
    """Return the path of the directory that contains the C headers of the kernels.

    Cython code that cimports the kernels needs these headers.

    Returns
    -------
    folder : str
        The path to add to the ``include_dirs`` of the extension.

    Examples
    --------
    >>> import os, fastkappa
    >>> "kernels.h" in os.listdir(fastkappa.get_include())
    True
    """
    return str(Path(__file__).parent / "kernels" / "c")

"""Builds the compiled kernels where that is possible; the rest is in pyproject.toml."""

import os
from glob import glob

import numpy
from setuptools import Extension, setup

KERNELS = "fastkappa/kernels/c"
REQUIRED = os.environ.get("FASTKAPPA_REQUIRE_EXTENSION", "0") not in ("", "0")


def compiled(module: str) -> Extension:
    """Return an extension that may fail to build, unless it is required."""
    return Extension(
        module,
        [module.replace(".", "/") + ".pyx"],
        include_dirs=[KERNELS, numpy.get_include()],
        depends=[
            *sorted(glob(f"{KERNELS}/**/*.h", recursive=True)),
            *sorted(glob("fastkappa/**/*.pxd", recursive=True)),
        ],
        # Debugging information would be most of the wheel.
        extra_compile_args=[] if os.name == "nt" else ["-g0"],
        optional=not REQUIRED,
    )


setup(
    ext_modules=[
        compiled("fastkappa.kernels.cython.pairs"),
        compiled("fastkappa.kernels.cython.scores"),
        compiled("fastkappa.kernels.cython.words"),
        compiled("fastkappa.shortcuts.compiled_kappa"),
        compiled("fastkappa.shortcuts.compiled_thresholds"),
    ]
)

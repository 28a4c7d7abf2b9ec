"""Builds the compiled kernels where that is possible; the rest is in pyproject.toml."""

import os
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

REQUIRED = os.environ.get("FASTKAPPA_REQUIRE_EXTENSION", "0") not in ("", "0")


class OptionalBuildExt(build_ext):
    """Leaves an extension out if it cannot be built, unless it is required."""

    def build_extension(self, ext):
        try:
            super().build_extension(ext)
        except Exception as error:
            if REQUIRED:
                raise
            print(
                f"fastkappa: {ext.name} could not be built ({error}).\n"
                "fastkappa: installing without it: counting will use numba, where it is"
                " installed, or NumPy. fastkappa.show_config() tells which.",
                file=sys.stderr,
            )
            self.failed.add(ext.name)

    failed: set = set()

    def copy_extensions_to_source(self):
        self.extensions = [ext for ext in self.extensions if ext.name not in self.failed]
        super().copy_extensions_to_source()


setup(
    ext_modules=[
        Extension(
            "fastkappa.counting.cython_kernels",
            ["fastkappa/counting/cython_kernels.pyx"],
            depends=["fastkappa/counting/kernels/count_pairs.h"],
        )
    ],
    cmdclass={"build_ext": OptionalBuildExt},
)

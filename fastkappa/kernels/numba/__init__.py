"""Implement the kernels with numba, which compiles each kernel when it is first called."""

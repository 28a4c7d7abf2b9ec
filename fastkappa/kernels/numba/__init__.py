"""Implement the kernels with numba, which compiles them at their first call."""

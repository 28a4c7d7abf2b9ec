"""The kernels compiled by numba when they are first called."""

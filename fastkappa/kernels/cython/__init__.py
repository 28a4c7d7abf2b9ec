"""Implement the kernels in C. They are compiled when the package is built."""

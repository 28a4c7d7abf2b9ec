"""Implement the kernels in C. The C code is compiled when the package is built."""

"""The kernels in C, compiled when the package is built."""

"""Numba has no kernel for lines of CSV text; see `fastkappa.kernels.contract`."""

# pyarrow reads them faster than loops over bytes that numba compiles.
count_lines = None

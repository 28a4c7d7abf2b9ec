"""The numba backend has no kernel for CSV lines; see `fastkappa.kernels.contract`."""

# No kernel, because pyarrow reads CSV lines faster than byte loops compiled by numba.
count_lines = None

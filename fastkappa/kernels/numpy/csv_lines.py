"""The NumPy backend has no kernel for CSV lines; see `fastkappa.kernels.contract`."""

# No kernel, because pyarrow reads CSV lines faster than NumPy could.
count_lines = None

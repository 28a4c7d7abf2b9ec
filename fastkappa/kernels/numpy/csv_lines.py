"""NumPy has no kernel for lines of CSV text; see `fastkappa.kernels.contract`."""

# pyarrow reads CSV lines faster.
count_lines = None

"""NumPy has no kernel for lines of CSV text; see `fastkappa.kernels.contract`."""

# pyarrow reads them faster.
count_lines = None

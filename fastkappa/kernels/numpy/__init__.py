"""The kernels in plain NumPy."""

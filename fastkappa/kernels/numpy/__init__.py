"""Implement the kernels in plain NumPy."""

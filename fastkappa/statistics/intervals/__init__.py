"""Compute intervals for kappa and test its value."""

"""Compute intervals of kappa from the likelihood of its table."""

"""Intervals of kappa, computed from the likelihood of its table."""

"""Compute kappa from arrays, or cuts and kappa from tables of scores, in one compiled call."""

"""From counts of patterns to coefficients."""

"""Cut points on scores: the best ones, and kappa at given ones."""

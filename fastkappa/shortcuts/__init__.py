"""From arrays to kappa in one compiled call."""

"""Use kappa to score and rank many predictions for the same items."""

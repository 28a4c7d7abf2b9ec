"""Score and rank many predictions for the same items by kappa."""

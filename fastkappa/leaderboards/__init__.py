"""Score and rank many predictions of the same items by kappa."""

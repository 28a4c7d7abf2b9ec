"""Statistics of two raters' confusion matrix: agreement per label, and tests of the margins."""

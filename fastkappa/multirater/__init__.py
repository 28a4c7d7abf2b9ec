"""Agreement of more than two raters."""

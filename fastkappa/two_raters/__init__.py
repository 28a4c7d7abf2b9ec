"""Agreement of two raters, computed from one table of counts."""

"""Everything that one table of two raters tells."""

"""Statistics of the table of two raters: agreement per label, and tests of the margins."""

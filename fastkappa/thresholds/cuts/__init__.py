"""Find the best cuts of a table exactly. These modules see tables of sums, never single items."""

"""The best cuts of a table, found exactly: sums, never a sample."""

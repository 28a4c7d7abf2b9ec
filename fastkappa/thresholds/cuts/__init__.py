"""Find the exact best cuts of a table. These modules use tables of sums, never single items."""

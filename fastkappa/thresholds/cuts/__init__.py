"""Find the exact best cuts of a table. The modules here use tables of sums instead of items."""

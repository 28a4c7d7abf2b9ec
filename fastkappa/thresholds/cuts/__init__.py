"""The exact programme: tables of sums, never a sample."""

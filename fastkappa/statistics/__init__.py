"""Statistics computed from tables of counts, never from samples."""

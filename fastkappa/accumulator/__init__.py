"""A confusion table that is updated batch by batch."""

"""Many predictions against one truth."""

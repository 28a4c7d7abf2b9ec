"""A confusion matrix that is updated batch by batch."""

"""What sees the probabilities of each item."""

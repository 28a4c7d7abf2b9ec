"""Read and process the class probabilities of items."""

"""Reads what a user gave into columns of ratings, weights or numbers: the only judge of arrays."""

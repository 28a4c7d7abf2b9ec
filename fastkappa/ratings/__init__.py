"""What a user gave becomes a column of ratings, weights or numbers: the only judge of arrays."""

"""Read user input into columns of ratings, weights or numbers; no other folder checks arrays."""

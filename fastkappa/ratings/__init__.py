"""Read user input into columns of ratings, weights or numbers. Only this package checks arrays."""

"""Read user input into columns of ratings, weights or numbers. Arrays are checked only here."""

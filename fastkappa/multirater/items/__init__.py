"""Read and count the ratings of several raters: the only part that sees single ratings."""

"""Read and count the ratings of several raters. Only this package accesses individual ratings."""

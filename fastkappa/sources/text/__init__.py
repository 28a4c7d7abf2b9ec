"""Read text files with pyarrow, find their format, and count their lines."""

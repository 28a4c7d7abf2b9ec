"""Read text files with pyarrow, detect their format, and count their lines."""

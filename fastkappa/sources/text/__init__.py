"""Text files: how they are written, read by pyarrow, and counted as text."""

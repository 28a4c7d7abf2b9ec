"""Read the files that the commands use."""

"""Files that the commands read."""

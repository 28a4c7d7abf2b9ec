"""The reports that the commands print."""

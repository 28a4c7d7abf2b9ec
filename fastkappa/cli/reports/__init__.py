"""Reports that the commands print."""

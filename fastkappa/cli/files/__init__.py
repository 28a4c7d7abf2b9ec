"""Readers of the files that the commands use."""

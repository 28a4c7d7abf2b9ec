"""Counts of what several raters gave: the part that sees ratings."""

"""Measure agreement among more than two raters."""

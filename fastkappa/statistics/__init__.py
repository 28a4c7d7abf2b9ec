"""Compute statistics from tables of counts, never from individual items."""

"""Loops over items, three backends behind one contract."""

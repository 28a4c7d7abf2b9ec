"""The ratings of several raters, counted."""

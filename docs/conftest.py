"""Tests run the examples of docs without Sphinx, which its extension imports."""

collect_ignore = ["name_links.py"]

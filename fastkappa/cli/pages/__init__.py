"""Write reports as self-contained HTML pages, which need neither a network nor other files."""

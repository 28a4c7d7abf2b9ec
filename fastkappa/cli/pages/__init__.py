"""Write reports as self-contained HTML pages, which need no network and no other files."""

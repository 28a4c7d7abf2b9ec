"""Reports as self-contained HTML pages, which need no network and no other file."""

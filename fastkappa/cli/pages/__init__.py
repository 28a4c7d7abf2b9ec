"""Reports as pages of HTML that need nothing else: no network, no script, no other file."""

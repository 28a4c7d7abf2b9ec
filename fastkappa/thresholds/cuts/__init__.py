"""Find the best cuts of a table of counts. These modules do not access individual items."""

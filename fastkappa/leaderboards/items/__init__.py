"""Match the items of many columns with the items of one column, and count pairs of labels."""

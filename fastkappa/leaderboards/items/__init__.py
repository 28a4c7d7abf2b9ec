"""Match the items of many columns with one first column, and count the pairs of labels."""

"""Find the thresholds on scores with the highest kappa, or compute kappa at given thresholds.

The subpackage ``items`` processes scored items, and ``cuts`` processes tables of the number of
items with each score and label. The modules in this package combine the two.
"""

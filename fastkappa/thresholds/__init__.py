"""Find the thresholds on scores with the highest kappa, or compute kappa at given thresholds.

The package ``items`` processes scored items, and ``cuts`` processes the tables counted from these
items. The modules in this package combine the two.
"""

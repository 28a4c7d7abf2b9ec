"""Find the thresholds on scores with the highest kappa, or compute kappa at given thresholds.

``items`` processes scored items, and ``cuts`` processes tables counted from them. The modules in
this package combine the two.
"""

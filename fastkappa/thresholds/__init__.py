"""Find the thresholds on scores with the highest kappa, or compute kappa at given thresholds.

``items`` works on scored items, and ``cuts`` on tables counted from them. The modules here
combine the two.
"""

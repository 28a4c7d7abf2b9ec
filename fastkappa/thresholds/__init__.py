"""Thresholds on scores: the best ones, and kappa at given ones.

``items`` sees the samples, ``cuts`` the tables; the modules here put them together.
"""

"""Compute coefficients from patterns and profiles of ratings."""

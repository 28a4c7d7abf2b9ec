"""Compute coefficients from counted patterns and profiles of ratings."""

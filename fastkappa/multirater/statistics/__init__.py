"""Coefficients from counted patterns and profiles."""

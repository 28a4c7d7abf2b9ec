"""Kappas of many predictions of the same items, and their ranks."""

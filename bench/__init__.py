"""Benchmarks of fastkappa: see README.md beside this file."""

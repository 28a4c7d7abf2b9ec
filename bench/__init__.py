"""Benchmarks of fastkappa; see README.md in this folder."""

"""Counts of many columns, each paired with the same first one."""

"""Scored items: samples, and tables counted from them, never a statistic."""

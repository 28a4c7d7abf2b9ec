"""Scored items: samples, never a statistic."""

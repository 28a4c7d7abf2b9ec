"""Samples become a table of counts; nothing here knows what a statistic is."""

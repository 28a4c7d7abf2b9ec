"""Count tables where the data is: in files, data frames, databases and clusters.

If an engine can count, it groups its rows by the pair of ratings and returns only the cells of the
table. Otherwise the kernels count batches of arrays. This package computes no statistics.
"""

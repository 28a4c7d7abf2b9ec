"""Count tables where the data is: in files, data frames, databases and compute clusters.

A query engine groups the rows by pair of ratings, and returns only the cells of the table. For all
other sources, the kernels count batches of arrays. This package computes no statistics.
"""

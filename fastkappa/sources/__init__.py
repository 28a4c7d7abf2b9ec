"""Count pairs of ratings where the data is: in files, data frames, databases and clusters.

A query engine groups the rows by pair of ratings, and returns only the cells of the confusion
matrix. For all other sources, the kernels count batches of arrays. This package computes no
statistics.
"""

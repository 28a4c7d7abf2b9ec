"""Tables counted where the data is: in files, data frames, databases and clusters.

An engine that can count groups its rows by their pair of ratings, and only the cells of the
table come back. Batches of arrays are counted by the kernels. Nothing here computes a
statistic.
"""

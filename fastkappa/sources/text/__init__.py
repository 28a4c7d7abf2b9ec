"""Detect the format of text files, read the files, and count the ratings in them."""

"""Build tables of counts from ratings. This package computes no statistics."""

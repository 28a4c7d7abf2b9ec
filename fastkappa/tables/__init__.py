"""Count items in tables. This package computes no statistics."""

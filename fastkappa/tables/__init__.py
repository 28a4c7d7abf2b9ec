"""Count samples into tables. This package contains no statistics."""

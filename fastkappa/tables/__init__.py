"""Count samples into tables; this package contains no statistics."""

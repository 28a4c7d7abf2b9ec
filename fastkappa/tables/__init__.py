"""Count samples into tables; this room contains no statistics."""

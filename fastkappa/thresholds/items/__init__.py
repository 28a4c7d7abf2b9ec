"""Read, sort, group and count scored items. These modules compute no statistics."""

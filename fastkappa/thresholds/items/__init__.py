"""Read, sort, group and count scored items. The modules in this package compute no statistics."""

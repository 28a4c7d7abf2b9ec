"""Statistics of tables; nothing here sees a sample."""

"""Tables become numbers; nothing here ever sees a sample."""

"""Match and count many columns, each paired with the same first column."""

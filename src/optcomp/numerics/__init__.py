"""Numbers with error bounds. Nothing in this room knows what privacy is."""

"""The journal of a run: JSON lines that are written, indexed and read back."""

"""One file a foreign format that is read."""

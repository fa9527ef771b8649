"""One file a foreign format that is written."""

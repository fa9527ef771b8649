"""The run folder: manifest, journal, lock."""

"""Scores saved outputs against annotation files: read in columns, paired, graded by task, reported."""

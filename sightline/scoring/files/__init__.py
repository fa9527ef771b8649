"""Scoring saved outputs against annotation files, in threads or in shards."""

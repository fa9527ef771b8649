"""A case as the text of a report."""

"""What books of tasks come to, on disk and as rows of a report."""

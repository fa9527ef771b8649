"""The figures of a run as tables, Markdown, CSV and a page."""

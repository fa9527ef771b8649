"""Parsers of replies, one file per format. A parser returns `Parsed` or `Unparsed` and never raises."""

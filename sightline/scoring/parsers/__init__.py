"""Text to value, one small file a format; a parser returns `Parsed` or `Unparsed` and never raises."""

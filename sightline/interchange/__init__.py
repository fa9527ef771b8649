"""Files of other tools in, results for other tools out. Formats are found by name: `importers` and `exporters`."""

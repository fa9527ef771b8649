"""The built-in suites; reached only through the registry."""

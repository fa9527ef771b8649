"""Importers, exporters and Inspect tasks."""

"""Importers: one module per foreign format."""

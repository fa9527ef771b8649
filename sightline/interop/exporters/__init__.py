"""Exporters: one module per foreign format."""

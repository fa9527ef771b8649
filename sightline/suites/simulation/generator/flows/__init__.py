"""Flows with exact solutions."""

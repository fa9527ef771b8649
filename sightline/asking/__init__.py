"""Asking a model: bounded, patient, journaled, resumable."""

"""Datasets: media, JSON-lines files, columns, file pairing, sampling, fingerprints, storage."""

"""Data sets: media, line files, columns, file pairing, sampling, fingerprints, storage."""

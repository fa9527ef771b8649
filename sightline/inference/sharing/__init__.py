"""Several processes in one run folder: lock, participants with leases, claims on samples."""

"""Several processes working on one run folder: file lock, participants with leases, claims on chunks of samples."""

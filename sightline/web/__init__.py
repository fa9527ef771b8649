"""HTTP: the viewer of runs, and the scoring service."""

"""Runs: folder, manifest, the run itself, grading its journal, judge, comparison."""

"""Comparison of runs: comparability, pairing of samples, paired significance tests, leaderboard."""

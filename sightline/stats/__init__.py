"""Statistics: exact sums by cluster, confidence intervals, paired tests, blind baselines."""

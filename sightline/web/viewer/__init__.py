"""Local web pages over run folders: runs, one run, one sample, two runs side by side. Loopback only, read only."""

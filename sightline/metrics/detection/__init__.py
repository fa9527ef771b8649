"""Detection: shapes matched with true ones, and average precision, recall, F1 and counts read from one tally."""

"""Detection: shapes matched with true ones, and average precision, recall, F1 and counts computed from one state."""

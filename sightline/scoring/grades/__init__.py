"""The grades table: one row per sample in grades.parquet, and the logs beside it."""

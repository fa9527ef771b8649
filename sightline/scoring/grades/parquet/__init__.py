"""Parquet files joined by their bytes: what others have encoded is copied, not decoded and encoded again.

DuckDB writes and reads them; it can join them only through all their values, which for a job in many shards is the one
step that no further worker makes shorter (1.6 s of computing for a million grades, against 0.03 s).
"""

from sightline.scoring.grades.parquet.joining import join_files

__all__ = ["join_files"]

"""File names in a run folder."""

from __future__ import annotations

from pathlib import Path


class RunPaths:
    """Where the files of a run are, below its folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "manifest.json"
        self.journal = path / "journal.jsonl"
        self.lock = path / ".lock"
        self.batches = path / "batches"
        self.server_log = path / "server.log"
        self.data_files = path / "data_files.json"
        self.grades = path / "grades.parquet"
        self.influences = path / "influences.parquet"
        self.sample_index = path / "samples.index"
        self.reply_index = path / "replies.index"
        self.report_json = path / "report.json"
        self.report_csv = path / "report.csv"
        self.errors = path / "error_log.txt"
        self.invalid = path / "invalid_sample_log.txt"
        self.report_html = path / "report.html"
        self.report_md = path / "report.md"

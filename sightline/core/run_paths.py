"""File names in a run folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from sightline.core.errors import StorageError


class RunPaths:
    """Where the files of a run are, below its folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "manifest.json"
        self.journal = path / "journal.jsonl"
        self.lock = path / ".lock"
        self.claims = path / ".asking"
        self.batches = path / "batches"
        self.server_log = path / "server.log"
        self.data_files = path / "data_files.json"
        self.grades = path / "grades.parquet"
        self.outputs = path / "outputs"
        self.influences = path / "influences.parquet"
        self.sample_index = path / "samples.index"
        self.reply_index = path / "replies.index"
        self.report_json = path / "report.json"
        self.report_csv = path / "report.csv"
        self.errors = path / "error_log.txt"
        self.invalid = path / "invalid_sample_log.txt"
        self.report_html = path / "report.html"
        self.report_md = path / "report.md"

    def refuse_links(self) -> None:
        """Raise if the folder contains symbolic links: one that came from elsewhere could have any file of the user
        overwritten or deleted."""
        for folder in (self.path, self.claims, self.batches):
            with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        raise StorageError(
                            "{path} is a symbolic link. A run is not continued or graded through links.",
                            hint="Delete the link, or replace it by the file itself.",
                            path=entry.path,
                        )

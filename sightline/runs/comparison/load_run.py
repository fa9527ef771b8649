"""A run as its folder tells it: what it was, and what it came to."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Summary, load_summary


class GradedRun(Struct, frozen=True):
    """A run that has been graded."""

    folder: RunFolder
    manifest: Manifest
    summary: Summary

    @property
    def complete(self) -> bool:
        """Whether every valid sample has an answer."""
        return self.manifest.state == "finished" and self.summary.complete


def load_graded(path: Path) -> GradedRun:
    """A run that has its figures."""
    folder = RunFolder(path)
    return GradedRun(folder, folder.load(), load_summary(folder.report_json))

"""Loading of graded runs: manifest and summary."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Summary, load_summary


class GradedRun(Struct, frozen=True):
    """A graded run: folder, manifest and summary."""

    folder: RunFolder
    manifest: Manifest
    summary: Summary

    @property
    def complete(self) -> bool:
        """Whether every valid sample has an answer."""
        return self.manifest.state == "finished" and self.summary.complete


def load_graded_run(path: Path) -> GradedRun:
    """Load a graded run from its folder."""
    folder = RunFolder(path)
    return GradedRun(folder, folder.load_manifest(), load_summary(folder.report_json))

"""Staging of results: written to the target folder directly, or to a local folder that is uploaded to a storage."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from sightline.core.errors import JournalError, UsageError
from sightline.data.storage import AnyPath, is_remote
from sightline.data.storage.filesystems import READ_ONLY
from sightline.data.storage.upload import upload_files

SENT_LAST = (
    "manifest.json",
    "report.json",
    "report.csv",
    "comparison.csv",
    "report.md",
    "comparison.md",
    "report.html",
)
"""Files that are uploaded last, so that everything a report refers to already exists when it appears."""


class StagedResults:
    """The local folder that results are written to, and their target."""

    def __init__(self, folder: Path, target: AnyPath) -> None:
        self.folder, self.target = folder, target
        self.has_results = False
        self._sent: list[str] = []

    def send(self) -> None:
        """Upload new files to the target; does nothing if the target is local."""
        self.has_results = True
        if not is_remote(self.target):
            return
        try:
            self._sent += upload_files(self.folder, self.target, SENT_LAST, self._sent)
        except JournalError as error:
            raise JournalError(
                "The results could not be sent: {why}",
                hint="They are kept in {folder}.",
                why=error,
                folder=self.folder,
            ) from None


@contextmanager
def stage_results(target: AnyPath) -> Iterator[StagedResults]:
    """Stage results for a target; the temporary folder of a remote target is deleted once all is uploaded."""
    if not is_remote(target):
        yield StagedResults(target, target)
        return
    if target.scheme in READ_ONLY:
        raise UsageError("Results can't be written to {path}.", hint="Give a folder, or s3://…", path=target)
    folder = Path(tempfile.mkdtemp(prefix="sightline-results-"))
    staged = StagedResults(folder, cast(AnyPath, target))
    try:
        yield staged
        staged.send()
    except BaseException:
        if not staged.has_results:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)

"""Importer interface: options, and the rows that become lines of annotation and output files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct

from sightline.interop.faults import ImportFaults


class Row(Struct, frozen=True, kw_only=True):
    """A sample with its target, a reply, or both."""

    id: str
    truth: str | None = None
    """None: this row is a reply alone, to a sample of the same id."""
    reply: str | None = None
    task: str = ""
    question: str = ""
    source: str = ""
    """Name of the image; rows that share it form a cluster."""
    pictures: tuple[bytes, ...] = ()
    sheet: str = ""
    """The annotation file to write to; empty: the one named after the source."""


class ImportOptions(Struct, frozen=True, kw_only=True):
    """Options of an import, given by the user."""

    scratch: Path
    """Folder for temporary files."""
    task: str = ""
    """Task of all rows; empty: taken from the rows or created by the importer."""
    fields: Mapping[str, str] = {}
    """Foreign column names → Sightline field names."""
    images: Path | None = None
    """Folder of referenced images; None: next to the source."""
    results: Path | None = None
    """A second file or folder with a model's results."""
    frames: bool = True
    """Whether to embed images in the annotations, which inference needs."""


class Importer(ABC):
    """Base class of importers; reads one foreign format row by row. One instance per import."""

    title: ClassVar[str]
    makes_tasks: ClassVar[bool] = False
    """Whether rows have a task without `--task`."""
    keeps_pictures: ClassVar[bool] = False
    """Whether images are also written as separate files."""

    def __init__(self, wishes: ImportOptions, faults: ImportFaults) -> None:
        self.wishes = wishes
        self.faults = faults
        self.watch: Callable[[int], None] = lambda count: None
        """Progress callback, for importers that read all entries before yielding the first row."""

    @abstractmethod
    def rows(self, source: Path) -> Iterator[Row]:
        """Yield all rows of `source`; unreadable entries are logged to `faults` and skipped."""

    def tasks(self) -> Mapping[str, Any]:
        """Tasks to define beside the known ones, in the format of task_metric.json; called after the last row."""
        return {}

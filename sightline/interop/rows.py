"""What an importer is told, and what it yields: rows that become lines of annotation and output files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct

from sightline.interop.faults import Faults


class Row(Struct, frozen=True, kw_only=True):
    """A sample with its truth, the reply to it, or both."""

    id: str
    truth: str | None = None
    """None: this row is a reply alone, to a sample of the same id."""
    reply: str | None = None
    task: str = ""
    question: str = ""
    source: str = ""
    """The picture's name: rows that share it count as one cluster."""
    pictures: tuple[bytes, ...] = ()
    sheet: str = ""
    """The annotation file it goes to; empty: the one named after the whole source."""


class Wishes(Struct, frozen=True, kw_only=True):
    """What the user says beside the source."""

    scratch: Path
    """A folder for files that are needed on the way."""
    task: str = ""
    """The task that all rows belong to; empty: the rows say it, or the importer makes tasks of its own."""
    fields: Mapping[str, str] = {}
    """What columns are called there → what they are called here."""
    images: Path | None = None
    """Where pictures lie that a file names; empty: beside the source."""
    results: Path | None = None
    """A second file or folder with a model's results."""
    frames: bool = True
    """Whether pictures are put into the annotations, so that a model can be asked."""


class Importer(ABC):
    """Reads one foreign format, a row at a time. Made anew for each import."""

    title: ClassVar[str]
    makes_tasks: ClassVar[bool] = False
    """Whether rows find their tasks without `--task`."""
    keeps_pictures: ClassVar[bool] = False
    """Whether pictures are written out as files of their own too."""

    def __init__(self, wishes: Wishes, faults: Faults) -> None:
        self.wishes = wishes
        self.faults = faults
        self.watch: Callable[[int], None] = lambda count: None
        """Told how many entries are read, where no row can be yielded before all of them are."""

    @abstractmethod
    def rows(self, source: Path) -> Iterator[Row]:
        """All rows at `source`; what can't be read goes to `faults`, and nothing else is lost with it."""

    def tasks(self) -> Mapping[str, Any]:
        """Tasks that the rows need beside the known ones, in the form of task_metric.json; asked after the last row."""
        return {}

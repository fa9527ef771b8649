"""Detections by picture and class as rows: each class is a task of its own, unless the user names one for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.interfaces import Task
from sightline.core.records import Remark
from sightline.interop.detection_buffer import Spool
from sightline.interop.pictures import from_folder
from sightline.interop.rows import Importer, Row
from sightline.interop.shapes_text import shapes_text
from sightline.interop.tasks import known_tasks, rule_of


class DetectionImporter(Importer):
    """What COCO and DOTA share."""

    makes_tasks = True
    parser: str
    """How the replies of the tasks are read."""

    def __init__(self, *told: Any) -> None:
        super().__init__(*told)
        self.kinds: dict[str, str] = {}
        """The classes that the truths know, and what they are called."""
        self._tasks: dict[str, Any] = {}

    def tasks(self) -> Mapping[str, Any]:
        """One task a class."""
        return self._tasks

    def take_result(self, spool: Spool, place: tuple[Path, int], found: tuple[str, str], text: str) -> None:
        """Take what was found of a class in a picture, unless the truths know nothing of either.

        Such a result is about other data: a sample made for it would have a truth that nobody has seen.
        """
        picture, kind = found
        if spool.name_of(picture) is None:
            self.faults.add(*place, Remark("the truths know no picture '{name}'", {"name": picture[:200]}))
        elif kind not in self.kinds:
            self.faults.add(*place, Remark("the truths know no class '{name}'", {"name": kind[:200]}))
        else:
            spool.add(picture, kind, text, found=True)
            self.watch(spool.count)

    def gathered(self, spool: Spool, answered: bool) -> Iterator[Row]:
        """The rows of a spool."""
        for one in spool.gathered():
            label = self.kinds[one.kind]
            picture = spool.name_of(one.picture) or one.picture
            yield Row(
                id=f"{one.picture}/{one.kind}",
                truth=shapes_text(one.truth),
                reply=shapes_text(one.found) if answered else None,
                task=self.wishes.task or self._task(label),
                question=f"Detect all objects of the class '{label}'.",
                source=picture,
                pictures=self._pictures(picture),
            )

    def _task(self, label: str) -> str:
        name = f"detect {label}"
        if name not in self._tasks:
            self._tasks[name] = rule_of(self._pattern())
        return name

    def _pattern(self) -> Task:
        """The known task whose rules the classes follow."""
        fitting = [task for task in known_tasks() if task.parser == self.parser and "count_accuracy" in task.auxiliary]
        return fitting[0]

    def _pictures(self, name: str) -> tuple[bytes, ...]:
        folder = self.wishes.images
        if folder is None or not self.wishes.frames:
            return ()
        found = from_folder(folder, name)
        if isinstance(found, Remark):
            self.faults.add(folder, name, found)
            return ()
        return (found,)


def picture_file(folder: Path | None, stem: str) -> str:
    """The name of the picture that a label file belongs to; its own stem where no folder is given or none is there."""
    for suffix in (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp"):
        if folder is not None and (folder / f"{stem}{suffix}").is_file():
            return f"{stem}{suffix}"
    return stem

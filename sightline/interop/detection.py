"""Base class of the detection importers: one row per image and class, one task per class by default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.interfaces import Task
from sightline.core.records import Remark
from sightline.interop.detection_buffer import DetectionBuffer
from sightline.interop.pictures import read_picture
from sightline.interop.rows import Importer, Row
from sightline.interop.shape_format import format_shapes
from sightline.interop.tasks import known_tasks, task_settings


class DetectionImporter(Importer):
    """Common part of the COCO and DOTA importers."""

    makes_tasks = True
    parser: str
    """Parser of the created tasks."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.class_names: dict[str, str] = {}
        """Class names by class key, as found in the annotations."""
        self._tasks: dict[str, Any] = {}

    def tasks(self) -> Mapping[str, Any]:
        """One task per class."""
        return self._tasks

    def add_result(
        self, buffer: DetectionBuffer, location: tuple[Path, int], image_and_class: tuple[str, str], text: str
    ) -> None:
        """Add a detection, unless its image or class does not occur in the annotations.

        Such a result belongs to other data and is logged as a fault.
        """
        picture, class_key = image_and_class
        if buffer.name_of(picture) is None:
            self.faults.add(*location, Remark("the truths know no picture '{name}'", {"name": picture[:200]}))
        elif class_key not in self.class_names:
            self.faults.add(*location, Remark("the truths know no class '{name}'", {"name": class_key[:200]}))
        else:
            buffer.add(picture, class_key, text, found=True)
            self.watch(buffer.count)

    def grouped_rows(self, buffer: DetectionBuffer, answered: bool) -> Iterator[Row]:
        """Yield one row per image and class in the buffer."""
        for group in buffer.groups():
            label = self.class_names[group.kind]
            picture = buffer.name_of(group.picture) or group.picture
            yield Row(
                id=f"{group.picture}/{group.kind}",
                truth=format_shapes(group.truth),
                reply=format_shapes(group.found) if answered else None,
                task=self.wishes.task or self._task(label),
                question=f"Detect all objects of the class '{label}'.",
                source=picture,
                pictures=self._pictures(picture),
            )

    def _task(self, label: str) -> str:
        name = f"detect {label}"
        if name not in self._tasks:
            self._tasks[name] = task_settings(self._pattern())
        return name

    def _pattern(self) -> Task:
        """The known task whose settings the class tasks copy."""
        matching = [task for task in known_tasks() if task.parser == self.parser and "count_accuracy" in task.auxiliary]
        return matching[0]

    def _pictures(self, name: str) -> tuple[bytes, ...]:
        folder = self.wishes.images
        if folder is None or not self.wishes.frames:
            return ()
        picture = read_picture(folder, name)
        if isinstance(picture, Remark):
            self.faults.add(folder, name, picture)
            return ()
        return (picture,)


def find_picture_name(folder: Path | None, stem: str) -> str:
    """Return the image file name for a label file; its stem if no folder is given or no image is found."""
    for suffix in (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp"):
        if folder is not None and (folder / f"{stem}{suffix}").is_file():
            return f"{stem}{suffix}"
    return stem

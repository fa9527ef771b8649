"""Importers of data sets of image pairs of two dates: LEVIR-CC (change captions), xBD (building damage)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from sightline.core.errors import DataError
from sightline.core.remarks import Remark
from sightline.interop.importer import Row, as_text
from sightline.interop.importers.detection import format_shape, parse_numbers, parse_size
from sightline.interop.importers.questions import Location, QuestionImporter, measure
from sightline.interop.readers import Record, list_files, stream_json

LEVIR_SIZE = (256, 256)
"""All images of LEVIR-CC are 256 pixels wide and high."""
CHANGE_CAPTION_METRICS = ["bleu1", "bleu2", "bleu3", "bleu4", "meteor"]
_SPLITS = ("train", "val", "test")


class LevirCcImporter(QuestionImporter):
    """`LevirCCcaptions.json`: pairs of images with five captions each, which are written as a list of references."""

    title = "LEVIR-CC change captions (JSON)"

    def files(self, source: Path) -> list[Path]:
        """The file itself, or the one of its name in a folder."""
        return [source if source.is_file() else source / "LevirCCcaptions.json"]

    def picture_folder(self, source: Path) -> Path | None:
        """See `QuestionImporter`."""
        folder = (source.parent if source.is_file() else source) / "images"
        return self.options.images or (folder if folder.is_dir() else None)

    def questions(self, path: Path) -> Iterator[tuple[Location, Row]]:
        """The pairs; each split becomes an annotation file."""
        if not path.is_file():
            raise DataError("{path} does not exist.", path=path)
        number = 0
        for key, entry in stream_json(path):
            if key == "images":
                location = path, f"images[{number}]"
                number += 1
                self.watch(number)
                if (row := self._row(location, entry)) is not None:
                    yield location, row
        if not number:
            raise DataError("{path} has no images: is it LevirCCcaptions.json?", path=path)

    def _row(self, location: Location, entry: Any) -> Row | None:
        name = as_text(entry.get("filename")) if isinstance(entry, dict) else None
        split = as_text(entry.get("split")) if isinstance(entry, dict) else None
        captions = _captions(entry.get("sentences")) if isinstance(entry, dict) else ()
        if not name or split not in _SPLITS or not captions:
            self.faults.add(*location, Remark("the entry has no filename, no split or no sentences"))
            return None
        names = f"{split}/A/{name}", f"{split}/B/{name}"
        pictures = self.load_pictures(*names)
        return Row(
            id=f"{split}/{name}",
            truth=captions,
            task=self.task_named("change caption", "brief caption", auxiliary=CHANGE_CAPTION_METRICS),
            question="The two images show the same place, the first one earlier. Describe in one sentence what has "
            "changed.",
            source=",".join(names),
            pictures=pictures,
            size=measure(pictures, LEVIR_SIZE),
            sheet=split,
        )


def _captions(sentences: Any) -> tuple[str, ...]:
    """The captions: their raw text, or their tokens where it is missing."""
    captions = []
    for sentence in sentences if isinstance(sentences, list) else ():
        if not isinstance(sentence, dict):
            continue
        text, tokens = sentence.get("raw"), sentence.get("tokens")
        if not isinstance(text, str) and isinstance(tokens, list):
            text = " ".join(token for token in tokens if isinstance(token, str))
        if isinstance(text, str) and text.strip():
            captions.append(as_text(" ".join(text.split())) or "")
    return tuple(captions)


DAMAGE_CLASSES = ("no-damage", "minor-damage", "major-damage", "destroyed")
XBD_SIDE = 1024
MAX_LABEL_BYTES = 256 * 2**20
_RING = re.compile(r"\(([^()]*)\)")
_POST, _PRE = "_post_disaster", "_pre_disaster"


class XbdImporter(QuestionImporter):
    """Label files of xBD: buildings on the image before, buildings of each degree of damage on both images."""

    title = "xBD building damage labels (JSON)"

    def files(self, source: Path) -> list[Path]:
        """The folder, which is one set of questions."""
        if not source.is_dir():
            raise DataError("{path} is not a folder of label files such as xBD/hurricane-harvey/labels.", path=source)
        return [source]

    def picture_folder(self, source: Path) -> Path | None:
        """See `QuestionImporter`."""
        folder = (source if (source / "labels").is_dir() else source.parent) / "images"
        return self.options.images or (folder if folder.is_dir() else None)

    def questions(self, path: Path) -> Iterator[tuple[Location, Row]]:
        """All questions on the images of a folder."""
        folder = path / "labels" if (path / "labels").is_dir() else path
        for number, file in enumerate(list_files(folder, (".json",)), 1):
            self.watch(number)
            if file.stem.endswith((_PRE, _POST)) and (label := self._read_label(file)) is not None:
                for row in self._rows(file, label):
                    yield (file, 1), row

    def _read_label(self, path: Path) -> Record | None:
        try:
            if path.stat().st_size > MAX_LABEL_BYTES:
                self.faults.add(path, 1, Remark("the file is too large"))
                return None
            label = msgspec.json.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.faults.add(path, 1, Remark("the file cannot be read: {why}", {"why": str(error)}))
            return None
        features = label.get("features") if isinstance(label, dict) else None
        if isinstance(label, dict) and isinstance(features, dict) and isinstance(features.get("xy"), list):
            return label
        self.faults.add(path, 1, Remark("the file has no features in pixels (features.xy)"))
        return None

    def _rows(self, path: Path, label: Record) -> Iterator[Row]:
        buildings = [
            building
            for index, feature in enumerate(label["features"]["xy"])
            if (building := self._building((path, f"features.xy[{index}]"), feature)) is not None
        ]
        metadata = label.get("metadata") if isinstance(label.get("metadata"), dict) else {}
        assert isinstance(metadata, dict)
        size = parse_size(metadata.get("width"), metadata.get("height")) or (XBD_SIDE, XBD_SIDE)
        name = as_text(metadata.get("img_name")) or f"{path.stem}.png"
        form = "as <poly><x1><y1><x2><y2>…</poly>, one after the other, in pixels; answer 0 if there is none."
        if path.stem.endswith(_PRE):
            yield Row(
                id=path.stem,
                truth=_polygons(buildings),
                task=self._task("buildings", size),
                question=f"Outline all buildings {form}",
                source=name,
                pictures=self.load_pictures(name),
                size=size,
            )
            return
        if not buildings:
            return
        names = name.replace(_POST, _PRE), name
        pictures = self.load_pictures(*names)
        for damage in DAMAGE_CLASSES:
            chosen = [building for building in buildings if building[0] == damage]
            yield Row(
                id=f"{path.stem}/{damage}",
                truth=_polygons(chosen),
                task=self._task(f"buildings, {damage}", size),
                question="The first image was taken before a disaster, the second after it. Outline all buildings of "
                f"the damage class '{damage}' ({', '.join(DAMAGE_CLASSES)}) {form}",
                source=",".join(names),
                pictures=pictures,
                size=size,
            )

    def _task(self, name: str, size: tuple[int, int]) -> str:
        options = {"width": size[0], "height": size[1]}
        return self.task_named(name, "change detection", parser="polygons", options=options)

    def _building(self, location: Location, feature: Any) -> tuple[str, list[list[float]]] | None:
        """Degree of damage and rings of a building."""
        properties = feature.get("properties") if isinstance(feature, dict) else None
        rings = self._rings(feature.get("wkt")) if isinstance(feature, dict) else None
        if not isinstance(properties, dict) or rings is None:
            self.faults.add(*location, Remark("the feature has no properties or no polygon in WKT"))
            return None
        damage = as_text(properties.get("subtype")) or ""
        if damage == "un-classified":
            self.faults.note(Remark("{count} buildings are not classified and belong to no degree of damage."))
        return damage, rings

    def _rings(self, wkt: Any) -> list[list[float]] | None:
        """Outer rings of a POLYGON or MULTIPOLYGON without their repeated last points; None if it is malformed."""
        if not isinstance(wkt, str) or not wkt.strip().upper().startswith(("POLYGON", "MULTIPOLYGON")):
            return None
        rings: list[list[float]] = []
        for polygon in re.split(r"\)\s*\)\s*,", wkt):  # rings of one polygon are separated by `),` alone
            found = _RING.findall(polygon if polygon.rstrip().endswith(")") else f"{polygon})")
            for index, ring in enumerate(found):
                points = [parse_numbers(point.split(), 2) for point in ring.split(",")]
                if len(points) < 4 or None in points:
                    return None
                if index:
                    self.faults.note(Remark("{count} holes of buildings are ignored."))
                    continue
                pairs = [point for point in points if point is not None]
                pairs = pairs[:-1] if pairs[0] == pairs[-1] else pairs
                rings.append([value for pair in pairs for value in pair])
        return rings or None


def _polygons(buildings: list[tuple[str, list[list[float]]]]) -> str:
    """All outlines; `0` if there is none."""
    return "".join(format_shape("poly", ring) for _, rings in buildings for ring in rings) or "0"

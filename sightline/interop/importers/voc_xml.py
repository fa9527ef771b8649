"""Importers of XML annotations with one file per image: Pascal VOC, FAIR1M, DIOR-RSVG."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path

from sightline.core.errors import DataError
from sightline.core.remarks import Remark
from sightline.interop.importer import Row, replace_surrogates
from sightline.interop.importers.detection import (
    DetectionBuffer,
    DetectionImporter,
    find_picture_name,
    format_shape,
    parse_numbers,
    parse_size,
)
from sightline.interop.importers.questions import Location, QuestionImporter, measure
from sightline.interop.readers import list_files
from sightline.interop.xml_reader import XmlElement, XmlError, read_xml

_CORNERS = ("xmin", "ymin", "xmax", "ymax")
_VOC_RESULT_NAME = re.compile(r"(?:comp[0-9]+_(?:det|cls)_[A-Za-z0-9]+_)?(?P<kind>.+)")
_MAX_LINE_CHARACTERS = 10_000


def read_box(element: XmlElement) -> list[float] | None:
    """Read the corners of `bndbox`; None if they are missing or not in order."""
    box = parse_numbers([element.find_text(f"bndbox/{name}") for name in _CORNERS], 4)
    return box if box is not None and box[0] <= box[2] and box[1] <= box[3] else None


def read_size(root: XmlElement) -> tuple[int, int] | None:
    """Read width and height of the image; None where they are missing or zero, as some tools leave them."""
    return parse_size(root.find_text("size/width"), root.find_text("size/height"))


class XmlDetectionImporter(DetectionImporter):
    """Common part of the importers of detection data sets in XML; AP follows the rule of Pascal VOC."""

    ap_rule = "voc"
    objects_path = ""
    """Path of the element that holds the objects; empty: the root."""

    def rows(self, source: Path) -> Iterator[Row]:
        """Read targets from the source and outputs from the results."""
        buffer = DetectionBuffer(self.options.scratch)
        try:
            for path in list_files(source, (".xml",)):
                if (root := self.read_root(path)) is not None:
                    self._read_truths(buffer, path, root)
            if self.options.results is not None:
                self.read_results(buffer, self.options.results)
            yield from self.grouped_rows(buffer, answered=self.options.results is not None)
        finally:
            buffer.close()

    def read_root(self, path: Path) -> XmlElement | None:
        """Read a file; a broken one is logged as a whole, since half of its objects would be a wrong truth."""
        try:
            return read_xml(path)
        except XmlError as error:
            self.faults.add(path, error.line, error.why)
            return None

    def objects(self, root: XmlElement) -> Iterator[XmlElement]:
        """Yield the objects of a file."""
        parent = root.find(self.objects_path) if self.objects_path else root
        return parent.children_of("object") if parent is not None else iter(())

    def picture_name(self, path: Path, root: XmlElement) -> str:
        """Return the name of the image that a file describes."""
        name = root.find_text("filename") or root.find_text("source/filename")
        return replace_surrogates(name) or find_picture_name(self.options.images, path.stem)

    @abstractmethod
    def read_object(self, element: XmlElement) -> tuple[str, str] | Remark:
        """Read class name and shape of an object; the reason if one of them is missing."""

    @abstractmethod
    def read_results(self, buffer: DetectionBuffer, results: Path) -> None:
        """Read a model's detections."""

    def _read_truths(self, buffer: DetectionBuffer, path: Path, root: XmlElement) -> None:
        buffer.name(path.stem, self.picture_name(path, root), read_size(root))
        for element in self.objects(root):
            found = self.read_object(element)
            if isinstance(found, Remark):
                self.faults.add(path, element.line, found)
                continue
            if element.find_text("difficult") not in ("", "0"):
                self.faults.note(Remark("{count} objects are marked as difficult and count like all others."))
            class_name, shape = found
            self.class_names[class_name] = class_name
            buffer.add(path.stem, class_name, shape, found=False)
            self.watch(buffer.count)


class VocImporter(XmlDetectionImporter):
    """`object` with `name` and `bndbox`; results `image score xmin ymin xmax ymax` in `comp4_det_test_CLASS.txt`."""

    title = "Pascal VOC annotations (XML) and results (text)"
    parser = "boxes"

    def read_object(self, element: XmlElement) -> tuple[str, str] | Remark:
        """See `XmlDetectionImporter`."""
        name, box = element.find_text("name"), read_box(element)
        if not name or box is None:
            return Remark("the object has no name or no bndbox")
        return name, format_shape("box", box)

    def read_results(self, buffer: DetectionBuffer, results: Path) -> None:
        """See `XmlDetectionImporter`."""
        for path in list_files(results, (".txt",)):
            match = _VOC_RESULT_NAME.fullmatch(path.stem)
            class_name = match["kind"] if match else path.stem
            with path.open(encoding="utf-8-sig", errors="replace") as file:
                number = 0
                while line := file.readline(_MAX_LINE_CHARACTERS):
                    number += line.endswith("\n") or len(line) < _MAX_LINE_CHARACTERS
                    if words := line.split():
                        self._result(buffer, (path, number), words, class_name)

    def _result(self, buffer: DetectionBuffer, location: tuple[Path, int], words: list[str], class_name: str) -> None:
        numbers = parse_numbers(words[1:], 5)
        if numbers is None:
            self.faults.add(*location, Remark("the line is not an image, a score and a box"))
            return
        score, *box = numbers
        self.add_result(buffer, location, (words[0], class_name), format_shape("box", box, score))


class Fair1mImporter(XmlDetectionImporter):
    """`objects/object` with `possibleresult/name` and a ring of `points/point`; results are the same with a score."""

    title = "FAIR1M annotations and results (XML)"
    parser = "quads"
    objects_path = "objects"

    def read_object(self, element: XmlElement) -> tuple[str, str] | Remark:
        """See `XmlDetectionImporter`."""
        name, corners = element.find_text("possibleresult/name"), self._corners(element)
        if not name or corners is None:
            return Remark("the object has no name or no four corners")
        return name, format_shape("quad", corners)

    def read_results(self, buffer: DetectionBuffer, results: Path) -> None:
        """See `XmlDetectionImporter`."""
        for path in list_files(results, (".xml",)):
            if (root := self.read_root(path)) is None:
                continue
            for element in self.objects(root):
                name, corners = element.find_text("possibleresult/name"), self._corners(element)
                score = parse_numbers([element.find_text("possibleresult/probability")], 1)
                if not name or corners is None or score is None:
                    why = Remark("the object has no name, no four corners or no probability")
                    self.faults.add(path, element.line, why)
                else:
                    shape = format_shape("quad", corners, score[0])
                    self.add_result(buffer, (path, element.line), (path.stem, name), shape)

    @staticmethod
    def _corners(element: XmlElement) -> list[float] | None:
        """Four corners; the fifth point of a closed ring repeats the first."""
        points = element.find("points")
        pairs = [point.text.split(",") for point in points.children_of("point")] if points is not None else []
        if len(pairs) == 5 and parse_numbers(pairs[4], 2) == parse_numbers(pairs[0], 2):
            pairs.pop()
        numbers = [parse_numbers(pair, 2) for pair in pairs]
        if len(numbers) != 4 or None in numbers:
            return None
        return [value for pair in numbers if pair is not None for value in pair]


class DiorRsvgImporter(QuestionImporter):
    """Every described object of `Annotations/*.xml`, or those that a split file such as `test.txt` numbers."""

    title = "DIOR-RSVG referring expressions (XML)"

    def files(self, source: Path) -> list[Path]:
        """The folder, or the split file; each is one set of questions."""
        if source.is_file() and source.suffix.lower() != ".txt":
            raise DataError(
                "{path} is neither a folder of XML files nor a split file such as test.txt.",
                hint="Name the folder that holds Annotations, or a split file in it.",
                path=source,
            )
        return [source]

    def picture_folder(self, source: Path) -> Path | None:
        """See `QuestionImporter`."""
        folder = (source.parent if source.is_file() else source) / "JPEGImages"
        return self.options.images or (folder if folder.is_dir() else None)

    def questions(self, path: Path) -> Iterator[tuple[Location, Row]]:
        """One question per described object; ids are numbers of objects in the order of file names."""
        folder = path.parent if path.is_file() else path
        annotations = folder / "Annotations" if (folder / "Annotations").is_dir() else folder
        wanted = self._read_split(path) if path.is_file() else None
        number = 0
        for file in list_files(annotations, (".xml",)):
            try:
                root = read_xml(file)
            except XmlError as error:
                # the numbers of all later objects depend on how many this file has
                if wanted is not None:
                    raise DataError("{path}:{line}: {why}", path=file, line=error.line, why=error.why) from None
                self.faults.add(file, error.line, error.why)
                continue
            for element in root.children_of("object"):
                if wanted is None or number in wanted:
                    if (row := self._row(file, root, element, number)) is not None:
                        yield (file, element.line), row
                    if wanted is not None:
                        wanted.discard(number)
                number += 1
                self.watch(number)
        for missing in sorted(wanted or ()):
            self.faults.add(path, missing, Remark("there is no object {number}", {"number": missing}))

    def _read_split(self, path: Path) -> set[int]:
        numbers: set[int] = set()
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            for line, text in enumerate(file, 1):
                word = text.strip()
                if word.isascii() and word.isdigit() and len(word) < 12:
                    numbers.add(int(word))
                elif word:
                    self.faults.add(path, line, Remark("the line is not the number of an object"))
        return numbers

    def _row(self, file: Path, root: XmlElement, element: XmlElement, number: int) -> Row | None:
        text, box = element.find_text("description"), read_box(element)
        if not text or box is None or box[0] == box[2] or box[1] == box[3]:
            self.faults.add(file, element.line, Remark("the object has no description or no bndbox with an area"))
            return None
        picture = root.find_text("filename") or f"{file.stem}.jpg"
        pictures = self.load_pictures(picture)
        return Row(
            id=str(number),
            truth=format_shape("box", box),
            task=self.known_task("visual grounding"),
            question=f"Locate the one object that this sentence describes: {text}\n"
            "Answer with its box in pixels as <box><x1><y1><x2><y2></box>.",
            source=picture,
            pictures=pictures,
            size=read_size(root) or measure(pictures, None),
        )

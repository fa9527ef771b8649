"""XML reader for hostile files: expat without document types, entities or external files; all sizes bounded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from sightline.core.remarks import Remark

MAX_FILE_BYTES = 64 * 2**20
MAX_ELEMENTS = 500_000
MAX_DEPTH = 64
MAX_TEXT_CHARACTERS = 100_000
"""Characters directly in one element."""
_CHUNK = 2**16


class XmlElement:
    """An element with its text, its children and the line where it begins; attributes are not kept."""

    __slots__ = ("children", "line", "tag", "text")

    def __init__(self, tag: str, line: int) -> None:
        self.tag = tag
        self.line = line
        self.text = ""
        self.children: list[XmlElement] = []

    def find(self, path: str) -> XmlElement | None:
        """Return the first descendant at a path such as `size/width`; None if there is none."""
        element: XmlElement | None = self
        for tag in path.split("/"):
            element = next(element.children_of(tag), None) if element is not None else None
        return element

    def find_text(self, path: str) -> str:
        """Return the text of the first descendant at a path; empty if there is none."""
        element = self.find(path)
        return element.text if element is not None else ""

    def children_of(self, tag: str) -> Iterator[XmlElement]:
        """Yield the children with a tag."""
        return (child for child in self.children if child.tag == tag)


class XmlError(Exception):
    """A file that cannot be read: the line, and the reason."""

    def __init__(self, line: int, why: Remark) -> None:
        super().__init__(str(why))
        self.line = line
        self.why = why


def read_xml(path: Path) -> XmlElement:
    """Read the root element of a file; raises `XmlError` if it is malformed, too large or has a document type."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise XmlError(1, Remark("the file is too large"))
        return _TreeBuilder().read(path)
    except OSError as error:
        raise XmlError(1, Remark("the file cannot be read: {why}", {"why": error.strerror or str(error)})) from None


class _TreeBuilder:
    """Builds the tree from the events of expat."""

    def __init__(self) -> None:
        self._root: XmlElement | None = None
        self._open: list[XmlElement] = []
        self._texts: list[list[str]] = []
        self._lengths: list[int] = []
        self._count = 0
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add_text
        # without a document type there is no entity that could be expanded or loaded
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def read(self, path: Path) -> XmlElement:
        try:
            with path.open("rb") as file:
                size = 0
                while chunk := file.read(_CHUNK):
                    size += len(chunk)
                    if size > MAX_FILE_BYTES:
                        raise self._error(Remark("the file is too large"))  # it has grown since
                    self._parser.Parse(chunk, False)
                self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            why = Remark("the XML is malformed: {why}", {"why": expat.ErrorString(error.code) or str(error)})
            raise XmlError(error.lineno, why) from None
        except (LookupError, ValueError) as error:  # an encoding that Python does not know, or that expat refuses
            raise self._error(Remark("the XML is malformed: {why}", {"why": str(error)})) from None
        assert self._root is not None  # expat has refused an empty document
        return self._root

    def _start(self, tag: str, _: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS:
            raise self._error(Remark("the file has too many elements"))
        if len(self._open) >= MAX_DEPTH:
            raise self._error(Remark("the elements are nested too deeply"))
        element = XmlElement(tag, self._parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)
        self._texts.append([])
        self._lengths.append(0)

    def _end(self, _: str) -> None:
        self._lengths.pop()
        self._open.pop().text = "".join(self._texts.pop()).strip()

    def _add_text(self, text: str) -> None:
        self._lengths[-1] += len(text)
        if self._lengths[-1] > MAX_TEXT_CHARACTERS:
            raise self._error(Remark("the text of an element is too long"))
        self._texts[-1].append(text)

    def _refuse_doctype(self, *_: object) -> None:
        raise self._error(Remark("document types and entities are not accepted"))

    def _error(self, why: Remark) -> XmlError:
        return XmlError(self._parser.CurrentLineNumber, why)

"""A book's counts as bytes and back, so that they can come from another process or wait on disk.

Only the counts are packed: figures, parsers and the survey are those of the book that takes them in. What is unpacked
may name no classes but our own, NumPy's and those of a user's metrics that the book has already.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from sightline.books.book import TaskBook
from sightline.metrics.tally import Plan, Survey

_KNOWN = {
    "builtins": {"set", "frozenset", "bytearray", "complex", "slice", "range", "list", "dict", "int"},
    "collections": {"Counter", "OrderedDict", "defaultdict", "deque"},
    "numpy": {"ndarray", "dtype"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "copyreg": {"_reconstructor"},
}
"""What packed counts may name beside classes of ours: nothing that runs what it is given."""


def pack(book: TaskBook) -> bytes:
    """The counts of a book."""
    return _dumped((book.counts(), book.states, book.mis_scaled))


def unpack(data: bytes, template: TaskBook) -> TaskBook:
    """A book like the template, with packed counts. Raises `pickle.UnpicklingError` where they don't fit."""
    book = template.fresh()
    counts, states, mis_scaled = _loaded(data, book)
    book.take_counts(counts)
    book.states, book.mis_scaled = states, mis_scaled
    return book


def pack_survey(book: TaskBook) -> bytes:
    """What a book has seen of the truths."""
    return pickle.dumps(book.surveys, protocol=5)


def unpack_survey(data: bytes, book: TaskBook) -> None:
    """Let a book know what another has seen of the truths."""
    book.surveys = _loaded(data, book)


class _Packer(pickle.Pickler):
    """Leaves out what the other side has already: the survey, which may be large, and the plan."""

    def persistent_id(self, thing: Any) -> str | None:
        if isinstance(thing, Survey):
            return f"survey {type(thing).__name__}"
        return "plan" if isinstance(thing, Plan) else None


def _dumped(value: Any) -> bytes:
    out = io.BytesIO()
    _Packer(out, protocol=5).dump(value)
    return out.getvalue()


class _Unpacker(pickle.Unpickler):
    def __init__(self, data: bytes, book: TaskBook) -> None:
        super().__init__(io.BytesIO(data))
        self._book = book
        self._roots = {"sightline", *(module.partition(".")[0] for module in book.modules())} - {"numpy"}

    def persistent_load(self, key: str) -> Any:
        for survey in self._book.surveys:
            if survey is not None and key == f"survey {type(survey).__name__}":
                return survey
        if key == "plan":
            return None  # every tally has its own
        raise pickle.UnpicklingError(f"unknown part: {key}")

    def find_class(self, module: str, name: str) -> Any:
        if name in _KNOWN.get(module, ()):
            return super().find_class(module, name)
        if module.partition(".")[0] in self._roots and isinstance(found := super().find_class(module, name), type):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} does not belong to counts")


def _loaded(data: bytes, book: TaskBook) -> Any:
    try:
        return _Unpacker(data, book).load()
    except (EOFError, AttributeError, ImportError, IndexError, ValueError, TypeError, KeyError) as error:
        raise pickle.UnpicklingError(str(error)) from None

"""A book's counts and surveys as bytes and back, so that they can come from another process or wait on disk.

Only what was counted is packed: figures, parsers, plans and classes are those of the book that takes it in. Whoever can
write such bytes can give wrong counts, but nothing else: see `state_codec`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from msgspec import Raw, msgpack

from sightline.books.book import TaskBook
from sightline.books.plain import PluginError
from sightline.books.rows import STATES
from sightline.books.state_codec import UnfitStateError, UnsavableStateError, dump_state, load_state
from sightline.books.value_codec import MalformedDataError, decode_value
from sightline.language import say

_MAGIC = b"sightline state\x02"
"""What packed states begin with; the last byte is the version of the format."""
_DIGEST = 16
"""Bytes of the hash that follows."""


class DamagedStateError(ValueError):
    """Bytes that are no packed state of this task, or no longer."""


def pack(book: TaskBook) -> bytes:
    """The counts of a book. Raises `PluginError` where a metric has a state that can't be saved."""
    new = book.fresh()
    pairs = zip(book.tallies, new.tallies, strict=True)
    tallies = [_dumped(book, tally, template) for tally, template in pairs]
    new.close()
    counted = {"states": dict(book.states), "masses": dict(book.masses), "mis_scaled": book.mis_scaled}
    return _sealed({"tallies": tallies, **counted, "weights": book.weights.state_dict()})


def unpack(data: bytes, template: TaskBook) -> TaskBook:
    """A book like the template, with packed counts. Raises `DamagedStateError` where they don't fit."""
    book, found = template.fresh(), _unsealed(data, ("tallies", "states", "masses", "mis_scaled", "weights"))
    _fill(book.tallies, found["tallies"])
    states, masses, mis_scaled = found["states"], found["masses"], found["mis_scaled"]
    for name, counts in (("states", states), ("masses", masses)):
        if type(counts) is not dict or not _are_counts(*counts.values()) or not counts.keys() <= set(STATES):
            raise DamagedStateError(say("{where} does not match the metric", where=name))
    if not _are_counts(mis_scaled):
        raise DamagedStateError(say("{where} does not match the metric", where="mis_scaled"))
    try:
        book.weights.load_state_dict(found["weights"])
    except ValueError:
        raise DamagedStateError(say("{where} does not match the metric", where="weights")) from None
    book.states, book.masses, book.mis_scaled = Counter(states), Counter(masses), mis_scaled
    return book


def pack_survey(book: TaskBook) -> bytes:
    """What a book has seen of the truths."""
    seen = [survey for survey in book.surveys if survey is not None]
    return _sealed({"surveys": [_dumped(book, survey, type(survey)()) for survey in seen]})


def unpack_survey(data: bytes, book: TaskBook) -> None:
    """Let a book know what another has seen of the truths. Raises `DamagedStateError` where it doesn't fit."""
    surveys = [None if survey is None else type(survey)() for survey in book.surveys]
    found = _unsealed(data, ("surveys",))
    _fill([survey for survey in surveys if survey is not None], found["surveys"])
    book.surveys = surveys


def _dumped(book: TaskBook, thing: Any, template: Any) -> Raw:
    try:
        return dump_state(thing, template)
    except UnsavableStateError as error:
        raise PluginError(
            "The state of the metric '{metric}' of the task '{task}' cannot be saved: {why}",
            hint="Use numbers, texts, containers and arrays, or define state_dict and load_state_dict.",
            metric=", ".join(figure.name for figure in book.figures if figure.tally is type(thing)),
            task=book.task.name,
            why=error,
        ) from None


def _fill(things: list[Any], states: Any) -> None:
    if type(states) is not list or len(states) != len(things):
        raise DamagedStateError(say("it is the state of another task"))
    for thing, state in zip(things, states, strict=True):
        try:
            load_state(state, thing)
        except UnfitStateError as error:
            raise DamagedStateError(str(error)) from None


def _are_counts(*values: Any) -> bool:
    return all(type(value) is int and value >= 0 for value in values)


def _sealed(content: dict[str, Any]) -> bytes:
    body = msgpack.encode(content)
    return _MAGIC + hashlib.blake2b(body, digest_size=_DIGEST).digest() + body


def _unsealed(data: bytes, names: tuple[str, ...]) -> dict[str, Any]:
    """The content, which has just these parts, of bytes that are as they were written."""
    view, start = memoryview(data), len(_MAGIC) + _DIGEST
    if not data.startswith(_MAGIC):
        raise DamagedStateError(say("it is not a saved state"))
    if hashlib.blake2b(view[start:], digest_size=_DIGEST).digest() != data[len(_MAGIC) : start]:
        raise DamagedStateError(say("its hash is another"))
    try:
        content = decode_value(view[start:])
    except MalformedDataError:
        raise DamagedStateError(say("it cannot be decoded")) from None
    if type(content) is not dict or content.keys() != set(names):
        raise DamagedStateError(say("it is the state of another task"))
    return content

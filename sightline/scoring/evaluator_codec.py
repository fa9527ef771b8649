"""Serialization of a task's evaluator: its metric states and target statistics as bytes and back.

Only what was counted is packed: metrics, parsers and classes are those of the evaluator that takes it in. Whoever can
write such bytes can give wrong counts, but nothing else: see `state_codec`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from msgspec import Raw, msgpack

from sightline.i18n import tr
from sightline.scoring.batch import STATUSES
from sightline.scoring.plugin_adapters import PluginError
from sightline.scoring.state_codec import StateMismatchError, UnsavableStateError, dump_state, load_state
from sightline.scoring.task_evaluator import TaskEvaluator
from sightline.scoring.value_codec import MalformedDataError, decode_value

_MAGIC = b"sightline state\x03"
"""What packed states begin with; the last byte is the version of the format."""
_DIGEST = 16
"""Bytes of the hash that follows."""


class DamagedStateError(ValueError):
    """Bytes that are no packed state of this task, or no longer."""


def pack(evaluator: TaskEvaluator) -> bytes:
    """The states of an evaluator. Raises `PluginError` where a metric has a state that can't be saved."""
    new = evaluator.empty_copy().open()
    group = evaluator.open().group
    states = [_dump(evaluator, state, new.group.states[kind]) for kind, state in group.states.items()]
    new.close()
    counted = {"counts": dict(group.counts), "masses": dict(group.masses), "off_scale": evaluator.off_scale}
    return _encode_checked({"states": states, **counted, "weights": group.weights.state_dict()})


def unpack(data: bytes, template: TaskEvaluator) -> TaskEvaluator:
    """An evaluator like the template, with packed states. Raises `DamagedStateError` where they don't fit."""
    made, found = (
        template.empty_copy().open(),
        _decode_checked(data, ("states", "counts", "masses", "off_scale", "weights")),
    )
    group = made.group
    _fill(list(group.states.values()), found["states"])
    counts, masses, off_scale = found["counts"], found["masses"], found["off_scale"]
    for name, numbers in (("counts", counts), ("masses", masses)):
        if type(numbers) is not dict or not _are_counts(*numbers.values()) or not numbers.keys() <= set(STATUSES):
            raise DamagedStateError(tr("{where} does not match the metric", where=name))
    if not _are_counts(off_scale):
        raise DamagedStateError(tr("{where} does not match the metric", where="off_scale"))
    try:
        group.weights.load_state_dict(found["weights"])
    except ValueError:
        raise DamagedStateError(tr("{where} does not match the metric", where="weights")) from None
    group.counts, group.masses, made.off_scale = Counter(counts), Counter(masses), off_scale
    return made


def pack_target_statistics(evaluator: TaskEvaluator) -> bytes:
    """What an evaluator has seen of the truths."""
    seen = [statistics for statistics in evaluator.target_statistics if statistics is not None]
    return _encode_checked(
        {"target_statistics": [_dump(evaluator, statistics, type(statistics)()) for statistics in seen]}
    )


def unpack_target_statistics(data: bytes, evaluator: TaskEvaluator) -> None:
    """Let an evaluator know what another has seen of the truths. Raises `DamagedStateError` where it doesn't fit."""
    empty = [None if statistics is None else type(statistics)() for statistics in evaluator.target_statistics]
    found = _decode_checked(data, ("target_statistics",))
    _fill([statistics for statistics in empty if statistics is not None], found["target_statistics"])
    evaluator.target_statistics = empty


def _dump(evaluator: TaskEvaluator, thing: Any, template: Any) -> Raw:
    try:
        return dump_state(thing, template)
    except UnsavableStateError as error:
        raise PluginError(
            "The state of the metric '{metric}' of the task '{task}' cannot be saved: {why}",
            hint="Use numbers, texts, containers and arrays, or define state_dict and load_state_dict.",
            metric=", ".join(metric.name for metric in evaluator.plan.metrics if metric.state is type(thing)),
            task=evaluator.task.name,
            why=error,
        ) from None


def _fill(things: list[Any], states: Any) -> None:
    if type(states) is not list or len(states) != len(things):
        raise DamagedStateError(tr("it is the state of another task"))
    for thing, state in zip(things, states, strict=True):
        try:
            load_state(state, thing)
        except StateMismatchError as error:
            raise DamagedStateError(str(error)) from None


def _are_counts(*values: Any) -> bool:
    return all(type(value) is int and value >= 0 for value in values)


def _encode_checked(content: dict[str, Any]) -> bytes:
    body = msgpack.encode(content)
    return _MAGIC + hashlib.blake2b(body, digest_size=_DIGEST).digest() + body


def _decode_checked(data: bytes, names: tuple[str, ...]) -> dict[str, Any]:
    """The content, which has just these parts, of bytes that are as they were written."""
    view, start = memoryview(data), len(_MAGIC) + _DIGEST
    if not data.startswith(_MAGIC):
        raise DamagedStateError(tr("it is not a saved state"))
    if hashlib.blake2b(view[start:], digest_size=_DIGEST).digest() != data[len(_MAGIC) : start]:
        raise DamagedStateError(tr("its hash does not match"))
    try:
        content = decode_value(view[start:])
    except MalformedDataError:
        raise DamagedStateError(tr("it cannot be decoded")) from None
    if type(content) is not dict or content.keys() != set(names):
        raise DamagedStateError(tr("it is the state of another task"))
    return content

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
from sightline.scoring.metric_group import MetricGroup
from sightline.scoring.plugin_adapters import PluginError
from sightline.scoring.state_codec import StateMismatchError, UnsavableStateError, dump_state, load_state
from sightline.scoring.task_evaluator import TaskEvaluator
from sightline.scoring.value_codec import MalformedDataError, decode_value, encode_value

_MAGIC = b"sightline state\x04"
"""What packed states begin with; the last byte is the version of the format."""
_DIGEST = 16
"""Bytes of the hash that follows."""


class DamagedStateError(ValueError):
    """Bytes that are no packed state of this task, or no longer."""


def pack(evaluator: TaskEvaluator) -> bytes:
    """The states of an evaluator. Raises `PluginError` where a metric has a state that can't be saved."""
    new = evaluator.empty_copy().open()
    rest = [evaluator.strict_rest, evaluator.lenient_rest] if evaluator.lenient_rest is not None else []
    groups = [
        _pack_group(evaluator, group, new.group) for group in (evaluator.open().group, *rest) if group is not None
    ]
    new.close()
    formats = Raw(encode_value(evaluator.format_counts.state_dict()))
    return _encode_checked({"groups": groups, "formats": formats, "off_scale": evaluator.off_scale})


def _pack_group(evaluator: TaskEvaluator, group: MetricGroup, template: MetricGroup) -> dict[str, Any]:
    states = [_dump(evaluator, state, template.states[kind]) for kind, state in group.states.items()]
    counted = {"counts": dict(group.counts), "masses": dict(group.masses)}
    return {"states": states, **counted, "weights": group.weights.state_dict()}


def unpack(data: bytes, template: TaskEvaluator) -> TaskEvaluator:
    """An evaluator like the template, with packed states. Raises `DamagedStateError` where they don't fit."""
    made, found = template.empty_copy().open(), _decode_checked(data, ("groups", "formats", "off_scale"))
    packed, off_scale = found["groups"], found["off_scale"]
    if type(packed) is not list or len(packed) not in (1, 3):
        raise DamagedStateError(tr("it is the state of another task"))
    for group, content in zip((made.group, *(made.rest_groups() if len(packed) == 3 else ())), packed, strict=True):
        _fill_group(group, content)
    if not _are_counts(off_scale):
        raise DamagedStateError(tr("{where} does not match the metric", where="off_scale"))
    try:
        made.format_counts.load_state_dict(found["formats"])
    except ValueError:
        raise DamagedStateError(tr("{where} does not match the metric", where="formats")) from None
    made.off_scale = off_scale
    return made


def _fill_group(group: MetricGroup, content: Any) -> None:
    if type(content) is not dict or content.keys() != {"states", "counts", "masses", "weights"}:
        raise DamagedStateError(tr("it is the state of another task"))
    _fill(list(group.states.values()), content["states"])
    counts, masses = content["counts"], content["masses"]
    for name, numbers in (("counts", counts), ("masses", masses)):
        if type(numbers) is not dict or not _are_counts(*numbers.values()) or not numbers.keys() <= set(STATUSES):
            raise DamagedStateError(tr("{where} does not match the metric", where=name))
    try:
        group.weights.load_state_dict(content["weights"])
    except ValueError:
        raise DamagedStateError(tr("{where} does not match the metric", where="weights")) from None
    group.counts, group.masses = Counter(counts), Counter(masses)


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

"""Serialization of metric states: what an object has counted, as bytes, and back into a new object of the same class.

The data hold values alone (see `value_codec`); the classes come from a template, which is an object that has just been
made for the same task and has counted nothing. So data can fill a state, but never choose what is made or called.

The state of an object is its attributes, all set in `__init__`:

- a value of the codec replaces the template's, which must be of the same type; numbers stand for one another, an array
  keeps its type and every axis that is not empty in the template, and where the template has None, any value fits;
- another object must be of the same class as the template's, and is gone through likewise; so are objects in a list,
  tuple or dict that the template has already, and those that the `default_factory` of a defaultdict makes;
- an object that is the template's own, such as a function or a table that all share, is left alone.

A class may name attributes that are no state (settings, open files) in `excluded_from_state`. One whose state is
more than that defines both of `state_dict() -> dict of values` and `load_state_dict(state)`, which must look at what
it is given and raise `ValueError` where it doesn't fit.
"""

from __future__ import annotations

import copyreg
from collections import defaultdict
from dataclasses import is_dataclass
from typing import Any

import numpy as np
from msgspec import Raw, Struct, msgpack

from sightline.i18n import tr
from sightline.scoring.value_codec import UnsupportedValueError, encode_value, is_value
from sightline.stats.state_checks import fits


class UnsavableStateError(Exception):
    """A state that can't be saved: the message says which attribute, and why."""


class StateMismatchError(ValueError):
    """Data that are not the state of such an object."""


def dump_state(thing: Any, template: Any) -> Raw:
    """The state of an object as MessagePack. Raises `UnsavableStateError`, which names the attribute."""
    return Raw(msgpack.encode(_dump(thing, template, type(thing).__name__)))


def load_state(data: Any, template: Any) -> None:
    """Put a decoded state into an object that has just been made. Raises `StateMismatchError`."""
    _load(data, template, type(template).__name__)


def _dump(thing: Any, template: Any, where: str) -> Any:
    if thing is None and template is None:
        return None
    if not is_value(thing):
        return None if thing is template else _dump_object(thing, template, where)
    if not fits(thing, template):
        raise _changed_at(where, _describe(thing), _describe(template))
    if _holds_objects(template):
        return _dump_items(thing, template, where)
    try:
        return Raw(encode_value(thing))
    except UnsupportedValueError as error:
        raise _object_at(where, error.kind) from None


def _load(data: Any, template: Any, where: str) -> Any:
    if not is_value(template):
        if data is not None:
            _load_object(data, template, where)
        return template
    if _holds_objects(template):
        return _load_items(data, template, where)
    if type(template) is defaultdict and type(data) is dict:
        data = defaultdict(template.default_factory, data)
    if not fits(data, template):
        raise _unfit(where)
    return data


def _dump_object(thing: Any, template: Any, where: str) -> Any:
    attributes, own = _attributes(thing), _hooks(thing)
    if type(thing) is not type(template) or (attributes is None and own is None):
        raise _object_at(where, type(thing).__name__)
    if own is not None:
        try:
            return Raw(encode_value(own[0]()))
        except UnsupportedValueError as error:
            name = f"{where}.state_dict()"
            raise _object_at(name, error.kind) from None
    mine, new = attributes or {}, _attributes(template) or {}
    if mine.keys() != new.keys():
        name = f"{where}.{min(mine.keys() ^ new.keys())}"
        raise UnsavableStateError(tr("{where} is not set in __init__", where=name))
    return {name: _dump(value, new[name], f"{where}.{name}") for name, value in mine.items()}


def _load_object(data: Any, template: Any, where: str) -> None:
    if own := _hooks(template):
        try:
            own[1](data)
        except Exception as error:  # whatever the class makes of data that are not its own
            raise _unfit(where) from error
        return
    new = _attributes(template)
    if new is None or type(data) is not dict or data.keys() != new.keys():
        raise _unfit(where)
    for name, value in new.items():
        setattr(template, name, _load(data[name], value, f"{where}.{name}"))


def _hooks(thing: Any) -> tuple[Any, Any] | None:
    """How a class gives and takes its state itself."""
    give, take = getattr(thing, "state_dict", None), getattr(thing, "load_state_dict", None)
    return (give, take) if callable(give) and callable(take) else None


def _attributes(thing: Any) -> dict[str, Any] | None:
    """All that an object is made of, without what is no state; None where there is more to it than attributes."""
    kind = type(thing)
    if isinstance(thing, Struct):
        if kind.__struct_config__.frozen:
            return None
        found = {name: getattr(thing, name) for name in kind.__struct_fields__}
    elif is_dataclass(kind) and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return None
    else:
        whole = _instance_state(thing)
        if whole is None:
            return None
        found = whole
    excluded = {name for base in kind.__mro__ for name in vars(base).get("excluded_from_state", ())}
    return {name: value for name, value in found.items() if name not in excluded}


def _instance_state(thing: Any) -> dict[str, Any] | None:
    """What is in `__dict__` and `__slots__`; None for an object that has something elsewhere, as those in C have.

    Python itself knows which objects these are, since it can't copy them either.
    """
    kind = type(thing)
    if any(
        getattr(kind, name) is not getattr(object, name) for name in ("__reduce_ex__", "__reduce__", "__getstate__")
    ):
        return None
    try:
        reduced: Any = object.__reduce_ex__(thing, 2)
    except TypeError:
        return None
    make, arguments, state, *items = reduced
    if make is not copyreg.__newobj__ or arguments != (kind,) or any(item is not None for item in items):  # type: ignore[attr-defined]
        return None
    in_dict, in_slots = state if type(state) is tuple else (state, None)
    return {**(in_dict or {}), **(in_slots or {})}


def _holds_objects(template: Any) -> bool:
    """Whether a container of the template has objects, or makes them when asked for a new key."""
    kind = type(template)
    if kind is defaultdict and template.default_factory is not None:
        made = template.default_factory()
        return not is_value(made) or type(made) is defaultdict or _holds_objects(made)
    items = template.values() if kind is dict else template if kind in (list, tuple) else ()
    return any(not is_value(item) or _holds_objects(item) for item in items)


def _dump_items(thing: Any, template: Any, where: str) -> Any:
    if type(template) in (list, tuple):
        new = [*template, *[None] * (len(thing) - len(template))]
        if len(new) > len(thing):
            kind, other = f"{len(thing)} × …", f"{len(template)} × …"
            raise _changed_at(where, kind, other)
        return [_dump(*both, f"{where}[{place}]") for place, both in enumerate(zip(thing, new, strict=True))]
    pairs = [(key, _dump(item, _new_item(template, key), f"{where}[{key!r}]")) for key, item in thing.items()]
    try:
        return [[Raw(encode_value(key)), item] for key, item in pairs]
    except UnsupportedValueError as error:
        raise _object_at(where, error.kind) from None


def _load_items(data: Any, template: Any, where: str) -> Any:
    if type(data) is not list:
        raise _unfit(where)
    if type(template) in (list, tuple):
        if len(data) < len(template):
            raise _unfit(where)
        new = [*template, *[None] * (len(data) - len(template))]
        return type(template)(_load(item, other, where) for item, other in zip(data, new, strict=True))
    found = template.copy()
    found.clear()
    for pair in data:
        if type(pair) is not list or len(pair) != 2:
            raise _unfit(where)
        try:
            hash(pair[0])
        except TypeError:
            raise _unfit(where) from None
        found[pair[0]] = _load(pair[1], _new_item(template, pair[0]), where)
    return found


def _new_item(template: Any, key: Any) -> Any:
    """What the template has under a key, or would make for it."""
    make = getattr(template, "default_factory", None)
    return make() if make is not None else template.get(key)


def _describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape}"
    return type(value).__name__


def _object_at(where: str, kind: str) -> UnsavableStateError:
    return UnsavableStateError(tr("{where} holds an object of type {kind}", where=where, kind=kind))


def _changed_at(where: str, kind: str, other: str) -> UnsavableStateError:
    text = tr("{where} is {kind}, but {other} in a new instance", where=where, kind=kind, other=other)
    return UnsavableStateError(text)


def _unfit(where: str) -> StateMismatchError:
    return StateMismatchError(tr("{where} does not match the metric", where=where))

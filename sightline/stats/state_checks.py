"""Validation of saved metric states: whether values have the types of a new state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

NUMBERS = (bool, int, float, np.number, np.bool_)


def fits(value: Any, template: Any) -> bool:
    """Whether a value has the type of the template. All types of numbers are equal; for None, any value fits.

    An array has the dtype of the template, and its shape except for axes that are empty there.
    """
    if template is None:
        return True
    if isinstance(template, NUMBERS):
        return isinstance(value, NUMBERS)
    if isinstance(template, np.ndarray):
        return (
            isinstance(value, np.ndarray)
            and value.dtype == template.dtype
            and value.ndim == template.ndim
            and all(size in (0, other) for size, other in zip(template.shape, value.shape, strict=True))
        )
    return type(value) is type(template)


def validate_state(state: Any, template: Mapping[str, Any]) -> dict[str, Any]:
    """The state, if it has the template's names and its values fit; else `ValueError`."""
    if type(state) is not dict or state.keys() != template.keys():
        raise ValueError(state)
    for name, value in template.items():
        if not fits(state[name], value):
            raise ValueError(name)
    return state


def require(*conditions: bool) -> None:
    """Raise `ValueError` unless all hold."""
    if not all(conditions):
        raise ValueError

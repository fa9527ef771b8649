"""Decorator for Numba kernels, compiled once per machine and cached on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit  # type: ignore[import-untyped, import-not-found, unused-ignore]  # ships no types

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function compiled by Numba."""
    try:
        made = njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder can be written to: compile anew in each process rather than not at all
        made = njit(nogil=True)(function)
    return cast("Callable[P, R]", made)

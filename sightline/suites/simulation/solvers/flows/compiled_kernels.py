"""How the flow solvers' loops are compiled: dividing as NumPy does, for a check of each divisor stops vectorising."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit  # type: ignore[import-untyped, import-not-found, unused-ignore]  # ships no types

P = ParamSpec("P")
R = TypeVar("R")


def compile_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """The function compiled by Numba, from its cache where a folder for it can be written."""
    try:
        made = njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        made = njit(nogil=True, error_model="numpy")(function)
    return cast("Callable[P, R]", made)

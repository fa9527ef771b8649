"""Compiled reading of tags such as `<box>`. Importing this module imports Numba."""

from __future__ import annotations

from typing import Any

from sightline.scoring.parsers.columns.number_kernels import compiled, is_white

LONGEST = 6
"""Letters of the longest tag, and one more."""


def pack_tag(name: str) -> int:
    """A short name in small letters as one number, which costs less to hand around than an array."""
    return int.from_bytes(name.encode(), "big")


@compiled
def end_of_tag(data: Any, at: int, stop: int, name: int) -> int:
    """Where the tag at `<` ends if it opens `name` (see `packed`); −1 where it does not."""
    at += 1
    while at < stop and is_white(data[at]):
        at += 1
    letters, end = 0, min(at + LONGEST, stop)
    while at < end and 97 <= data[at] | 32 <= 122:
        letters = letters * 256 + (data[at] | 32)
        at += 1
    if letters != name:
        return -1
    while at < stop and is_white(data[at]):
        at += 1
    return at + 1 if at < stop and data[at] == 62 else -1


@compiled
def end_of_closing_tag(data: Any, at: int, stop: int, name: int) -> int:
    """Where the tag at `<` ends if it closes `name`; 0 where it is no closing tag at all, −1 where it is another."""
    at += 1
    while at < stop and is_white(data[at]):
        at += 1
    if at >= stop or data[at] != 47:
        return 0
    return end_of_tag(data, at, stop, name)

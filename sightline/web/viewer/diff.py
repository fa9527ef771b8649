"""Side-by-side line diff of target and reply, with context lines."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest

from msgspec import Struct

from sightline.reports.sample_view.texts import Clip

_MAX_LINES = 400
"""Matching takes the square of it, and a reply may be made to be slow."""
_CONTEXT = 2


class DiffLine(Struct, frozen=True):
    """A line of either side, None where the other side has more; or how many equal lines are left out here."""

    truth: str | None
    reply: str | None
    same: bool
    skipped: int = 0


def diff_lines(truth: Clip | None, reply: Clip | None) -> list[DiffLine] | None:
    """The lines of both, matched; None where there is nothing to match, nothing that differs, or too much of it."""
    if truth is None or reply is None:
        return None
    left, right = truth.text.splitlines(), reply.text.splitlines()
    if left == right or not (1 < len(left) <= _MAX_LINES and 1 < len(right) <= _MAX_LINES):
        return None
    lines: list[DiffLine] = []
    for _, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        ours, theirs = left[a:b], right[c:d]
        lines += [DiffLine(one, other, ours == theirs) for one, other in zip_longest(ours, theirs)]
    return _fold_equal_lines(lines)


def _fold_equal_lines(lines: list[DiffLine]) -> list[DiffLine]:
    """Equal lines far from any difference become one."""
    near = {place + by for place, line in enumerate(lines) if not line.same for by in range(-_CONTEXT, _CONTEXT + 1)}
    shown: list[DiffLine] = []
    for place, line in enumerate(lines):
        if place in near:
            shown.append(line)
        elif shown and shown[-1].skipped:
            shown[-1] = DiffLine(None, None, True, shown[-1].skipped + 1)
        else:
            shown.append(DiffLine(None, None, True, 1))
    return shown

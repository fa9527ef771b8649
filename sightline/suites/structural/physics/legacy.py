"""The scoring of the original benchmark, for comparison with published figures only.

It sorts the absolute values of all reactions of truth and answer and requires each pair to agree within 5 %. Positions,
signs, members and loads are ignored: reversed loads and mirrored structures pass; an extra zero reaction fails.
"""

from __future__ import annotations

from collections.abc import Sequence

SHARE = 0.05
_NOTHING = 1e-9


def same_reactions(truth: Sequence[float], answer: Sequence[float]) -> bool:
    """Whether the sorted absolute values agree within 5 % each."""
    if len(truth) != len(answer):
        return False
    pairs = zip(sorted(map(abs, truth)), sorted(map(abs, answer)), strict=True)
    return all(abs(expected - got) <= max(SHARE * expected, _NOTHING) for expected, got in pairs)

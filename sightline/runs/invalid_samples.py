"""Counts of invalid samples by reason, with the place of the first one, for warnings and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sightline.core.records import Invalid
from sightline.core.remarks import Remark, as_remark, format_remark

MAX_INVALID_REASONS = 100
_MOST_LISTED = 3


class InvalidSampleCounter:
    """Counts invalid samples by reason; limited to `MAX_INVALID_REASONS` different ones."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, Invalid] = {}

    def add(self, sample: Invalid) -> None:
        """Count a sample that cannot be asked."""
        text = format_remark(sample.reason)
        if text in self._counts or len(self._counts) < MAX_INVALID_REASONS:
            self._counts[text] += 1
            self._first.setdefault(text, sample)

    def remarks(self, counted_all: bool = True) -> Iterator[Remark]:
        """The most frequent reasons, and where each was met first."""
        for text, count in self._counts.most_common(_MOST_LISTED):
            first = self._first[text]
            args = {"count": count, "reason": as_remark(first.reason), "first": first.source or first.id}
            if counted_all:
                yield Remark("Invalid samples, not asked: {count} (first: {first}): {reason}", args)
            else:
                yield Remark("Invalid samples, not asked: at least {count} (first: {first}): {reason}", args)

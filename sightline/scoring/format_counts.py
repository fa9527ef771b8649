"""Counts of deviations from the asked reply format, and evidence on the coordinate space of replies."""

from __future__ import annotations

from collections import Counter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sightline.core.reply_formats import SPACES
from sightline.scoring.parsers.lenient.deviations import DEVIATIONS
from sightline.stats.state_checks import require

_STEPS = 16
"""Bins per doubling: each is 4 % wide."""
_FIRST, _BINS = -7 * _STEPS, 27 * _STEPS
"""From 2⁻⁷ to 2²⁰."""
_RANGES = {"0-1": 1.0, "0-100": 100.0, "0-1000": 1000.0}
"""Spaces that are proposed; 0–999 and 0–1023 can't be told from 0–1000."""
_EXTENTS = {**_RANGES, "0-999": 1000.0, "0-1023": 1000.0}
MIN_REPLIES = 20
"""With fewer replies nothing is proposed."""
_FITS, _UNFIT, _SURPLUS = 0.9, 0.8, 0.3


class FormatCounts:
    """Replies that were rescued, by deviation, and how far the coordinates of replies and truths reach."""

    def __init__(self) -> None:
        self.deviations: Counter[str] = Counter()
        """Replies that only the lenient reading can read, or reads otherwise, by the kind of deviation."""
        self.unsized = 0
        """Replies whose coordinates could not be converted, since the size of the picture is unknown."""
        self.reply_reach = np.zeros(_BINS, np.int64)
        """Histogram of the largest coordinate of each reply that is read in the declared space, as written."""
        self.truth_reach = np.zeros(_BINS, np.int64)
        """The same of the truths of these replies, in the declared space."""

    def add(self, deviations: NDArray[np.uint8] | None) -> None:
        """Count the deviations of a batch."""
        for code, count in enumerate([] if deviations is None else np.bincount(deviations).tolist()):
            if code and count:
                self.deviations[DEVIATIONS[code]] += count

    def add_reaches(self, reaches: NDArray[np.float64] | None) -> None:
        """Count the largest coordinates of replies (first column) and truths; rows with NaN have none."""
        if reaches is None:
            return
        known = reaches[np.isfinite(reaches).all(axis=1) & (reaches > 0).all(axis=1)]
        bins = np.clip(np.floor(_STEPS * np.log2(known)).astype(np.int64) - _FIRST, 0, _BINS - 1)
        self.reply_reach += np.bincount(bins[:, 0], minlength=_BINS)
        self.truth_reach += np.bincount(bins[:, 1], minlength=_BINS)

    def merge(self, other: Self) -> None:
        """Add all that `other` has counted."""
        self.deviations.update(other.deviations)
        self.unsized += other.unsized
        self.reply_reach += other.reply_reach
        self.truth_reach += other.truth_reach

    @property
    def rescued(self) -> int:
        """How many replies were rescued."""
        return sum(self.deviations.values())

    def propose_space(self, declared: str) -> tuple[str, float] | None:
        """Another space that fits the replies, and the share of them that fit it; None where the declared one may do.

        A space is proposed where 90 % of at least 20 replies fit it and the declared one is implausible: replies reach
        beyond it, or they all lie in a small part of it in which far fewer of the truths lie.
        """
        total = int(self.reply_reach.sum())
        if total < MIN_REPLIES or declared not in SPACES:
            return None
        is_beyond = self._share_within(self.reply_reach, self._declared_bin(declared)) < _UNFIT
        for space, extent in _RANGES.items():
            share = self._share_within(self.reply_reach, _bin(extent))
            if share < _FITS or extent == _EXTENTS.get(declared):
                continue
            expected = self._share_within(self.truth_reach, _bin(extent))
            if is_beyond or expected <= share - _SURPLUS:
                return space, share
        if is_beyond and declared != "pixels":
            return "pixels", 1 - self._share_within(self.reply_reach, self._declared_bin(declared))
        return None

    def _declared_bin(self, declared: str) -> int:
        if declared in _EXTENTS:
            return _bin(_EXTENTS[declared])
        return int(np.flatnonzero(self.truth_reach).max(initial=0)) + 2  # pictures reach a bit further than truths

    @staticmethod
    def _share_within(reach: NDArray[np.int64], last: int) -> float:
        total = int(reach.sum())
        return int(reach[: last + 1].sum()) / total if total else 0.0

    def state_dict(self) -> dict[str, Any]:
        """The counts as values."""
        reaches = {"reply_reach": self.reply_reach, "truth_reach": self.truth_reach}
        return {"deviations": dict(self.deviations), "unsized": self.unsized, **reaches}

    def load_state_dict(self, state: Any) -> None:
        """Take counts. Raises `ValueError` where they are none."""
        require(type(state) is dict and state.keys() == self.state_dict().keys())
        deviations, unsized = state["deviations"], state["unsized"]
        require(type(deviations) is dict, type(unsized) is int and unsized >= 0)
        require(deviations.keys() <= set(DEVIATIONS), all(type(n) is int and n >= 0 for n in deviations.values()))
        for name in ("reply_reach", "truth_reach"):
            reach = state[name]
            require(isinstance(reach, np.ndarray) and reach.dtype == np.int64 and reach.shape == (_BINS,))
            require(bool((reach >= 0).all()))
            setattr(self, name, reach.copy())
        self.deviations, self.unsized = Counter(deviations), unsized


def _bin(value: float) -> int:
    return int(np.floor(_STEPS * np.log2(value))) - _FIRST

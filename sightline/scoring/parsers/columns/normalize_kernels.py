"""Numba kernels that classify texts by the normalization they need. Importing this module imports Numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.scoring.parsers.columns.number_kernels import compiled

FOREIGN, THINKING, VISIBLE = 1, 2, 4
"""Has a byte beyond ASCII; may have a thinking tag; has a visible ASCII sign."""


@compiled
def classify_texts(data: Any, starts: Any, stops: Any) -> Any:
    """Bit flags of each text: `FOREIGN`, `THINKING`, `VISIBLE`."""
    flags = np.zeros(len(starts), np.uint8)
    for row in range(len(starts)):
        text_flags, stop = 0, stops[row]
        for at in range(starts[row], stop):
            byte = data[at]
            if byte == 60 and at + 2 < stop:
                letter = data[at + 2] if data[at + 1] == 47 else data[at + 1]
                if letter | 32 == 116 or letter | 32 == 114:  # t(hink, thought), r(easoning)
                    text_flags |= THINKING
            if byte >= 128:
                text_flags |= FOREIGN
            elif 32 < byte < 127:
                text_flags |= VISIBLE
        flags[row] = text_flags
    return flags


@compiled
def copy_texts(data: Any, starts: Any, stops: Any, into: Any, at: Any) -> None:
    """Copy each text to offset `at` of `into`; texts with a negative offset are skipped."""
    for row in range(len(starts)):
        if at[row] >= 0:
            size = stops[row] - starts[row]
            into[at[row] : at[row] + size] = data[starts[row] : stops[row]]

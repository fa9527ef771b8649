"""Numbers on axes and legends."""

from __future__ import annotations

import numpy as np


def format_short(value: float) -> str:
    """Three significant digits, without an exponent where plain digits take no more room."""
    if value and (abs(value) >= 1e5 or abs(value) < 1e-3):
        return f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Multiples of a round step within the range: as many as possible, but no more than `most`."""
    power = 10.0 ** np.floor(np.log10((high - low) / most))
    steps = [float(power * factor) for factor in (1, 2, 2.5, 5, 10, 20)]
    step = next(step for step in steps if (high - low) / step <= most)
    first, last = int(np.ceil(low / step - 1e-6)), int(np.floor(high / step + 1e-6))
    return [k * step for k in range(first, last + 1)]

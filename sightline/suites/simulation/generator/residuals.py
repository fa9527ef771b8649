"""Residual histories: converged to the tolerance, or stalled above it."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.draw import ParameterRng


class Residuals(Struct, frozen=True, kw_only=True):
    """One history an equation, with the tolerance that all of them should reach."""

    names: tuple[str, ...]
    iterations: Array
    history: tuple[Array, ...]
    tolerance: float

    @property
    def last(self) -> float:
        """The largest residual at the end."""
        return max(float(values[-1]) for values in self.history)

    @property
    def within(self) -> bool:
        """Whether all ended at the tolerance or below."""
        return self.last <= self.tolerance


def draw_residuals(draw: ParameterRng, names: tuple[str, ...], *, stalls: bool) -> Residuals:
    """A falling history for each equation; where the solver stalls, the first levels off well above the tolerance."""
    tolerance = draw.pick((1e-4, 1e-5, 1e-6))
    steps = int(draw.between(24, 60))
    iterations = np.arange(1.0, steps + 1)
    history = []
    for k, _ in enumerate(names):
        # a factor of two at the least on either side keeps the answer clear of rounding and of the noise
        floor = tolerance * (draw.spread(20, 800) if stalls and k == 0 else draw.spread(0.05, 0.4))
        start = draw.spread(0.3, 1.0)
        decay = start * np.exp(-np.log(start / floor * 20) * (iterations - 1) / (0.75 * steps))
        wobble = np.exp(0.12 * draw.noise(steps))
        history.append(np.clip(np.maximum(decay, floor) * wobble, floor * 0.8, 1.0))
    return Residuals(names=names, iterations=iterations, history=tuple(history), tolerance=tolerance)

"""Convergence history of a solver run, and its stopping iteration."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.residuals import Residuals


class SolverOutcome(Struct, frozen=True, kw_only=True):
    """The intended outcome of a solver run; the solved fields decide whether it is reached."""

    is_balanced: bool
    is_converged: bool
    tolerance: float
    """Of a run that comes to its end."""


class Snapshot(Struct, frozen=True):
    """The body at a share of its load, by node."""

    share: float
    displacement: Array
    stress: Array


class SolverRun(Struct, frozen=True, kw_only=True):
    """Result of a solver run."""

    displacement: Array
    stress: Array
    reaction: Array
    """Fx, Fy, Mz of all supports."""
    residuals: Residuals
    flowed: Array
    """Equivalent plastic strain by node."""
    snapshots: tuple[Snapshot, ...]
    steps: int


UNBALANCED = 0.04
BALANCED = 0.003
_CLEAR = 1.5
"""By this factor the last residual is off the tolerance at the least."""


def stop_iteration(sizes: Array, missing: Array, ending: SolverOutcome, first: int) -> int:
    """The iteration after which to stop: `sizes` are residuals, `missing` the share of the load that is not borne."""
    later = np.arange(sizes.size) >= first
    if not ending.is_balanced:
        off = np.flatnonzero(later & (missing > UNBALANCED))
        return int(off[-1]) if off.size else first
    even = missing < BALANCED
    level = ending.tolerance / _CLEAR if ending.is_converged else 30 * ending.tolerance
    done = np.flatnonzero(later & even & (sizes < level))
    return int(done[0]) if done.size else sizes.size - 1


def solver_tolerance(last: float, ending: SolverOutcome) -> float:
    """The tolerance in the solver's controls: one that fits the run, loose where an unbalanced one is to pass."""
    if ending.is_converged:
        return max(ending.tolerance, _round_up(_CLEAR * last))
    return min(ending.tolerance, _round_up(last / 20))


def _round_up(value: float) -> float:
    """To one digit: 1, 2 or 5."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(digit * power for digit in (1, 2, 5, 10) if digit * power >= value))


def normalized_residuals(forces: Array, changes: Array, tolerance: float) -> Residuals:
    """Residuals as shares of the largest, so that they begin at one or below."""
    iterations = np.arange(1.0, forces.size + 1)
    return Residuals(
        names=("force", "displacement"),
        iterations=iterations,
        history=(np.minimum(forces, 1.0), np.clip(changes, 1e-16, 1.0)),
        tolerance=tolerance,
    )

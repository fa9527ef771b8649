"""The residual history as a table."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.case import Section
from sightline.suites.simulation.generator.residuals import Residuals

_ROWS = 9


def residual_section(residuals: Residuals) -> Section:
    """A few iterations from the first to the last, and the tolerance."""
    chosen = np.unique(np.linspace(0, residuals.iterations.size - 1, _ROWS).astype(int))
    return Section(
        title=f"Residual history (tolerance {residuals.tolerance:.0e})",
        header=("Iteration", *residuals.names),
        rows=tuple(
            (f"{residuals.iterations[k]:.0f}", *(f"{values[k]:.3e}" for values in residuals.history)) for k in chosen
        ),
    )

"""Fresh simulations whose answers follow from their fields.

    draw        seeded parameters
    solids/     structures: one file a kind, each an exact solution; `build` turns it into a case
    flows/      fluids, likewise
    plan        which kinds, in which order, and which of a few candidates keeps the answers balanced
    pictures/   a scene as a still and as a film
    reporting/  the same case as a solver's report

A kind is a function from a `Draw` to a `Case`. A solver that computes its field on a mesh fits the same seam: it hands
over an interpolating function where these kinds hand over a formula.
"""

from __future__ import annotations

from pathlib import Path


def generate(out: Path, count: int, seed: int) -> None:
    """Write a data set of `count` simulations; the same seed writes the same bytes."""
    from sightline.suites.simulation.generator.plan import plan
    from sightline.suites.simulation.generator.writing import write

    write(out, plan(count, seed), seed)

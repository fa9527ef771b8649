"""Candidates of computed structures, and case construction from solved parts.

A coarse linear solution predicts the answers; only the selected candidate is solved.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Array, Candidate, Case, Point, answer_all
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.body import Body, Components, Displacement, StressField
from sightline.suites.simulation.generator.solids.case_builder import Motion, build_case, make_scene
from sightline.suites.simulation.generator.solids.computed.analysis import (
    Analysis,
    Snapshot,
    SolverOutcome,
    SolverRun,
    analyse_at_utilisation,
    measure_facts,
    normalized_residuals,
    von_mises_at_nodes,
    weaken_support,
)
from sightline.suites.simulation.generator.solids.computed.part import Part
from sightline.suites.simulation.generator.solids.computed.solver_runs import TANGENT, solve_linear, solve_plastic
from sightline.suites.simulation.generator.solids.facts import QUESTIONS
from sightline.suites.simulation.solvers.solids.interpolation import interpolate
from sightline.suites.simulation.solvers.solids.mesh import Mesh


def _body(analysis: Analysis, run: SolverRun) -> Body:
    part, mesh = analysis.part, analysis.problem.space.mesh
    shared = ("kind", "title", "units", "material", "window", "hatches", "loads", "geometry", "signed", "heated")
    return Body(
        **{name: getattr(part, name) for name in (*shared, "length", "marks")},
        stress=stress_field(mesh, run.stress),
        outlines=outlines(mesh),
        load_rows=tuple((label, analysis.size * value, unit) for label, value, unit in part.load_rows),
        section=(part.section.start, part.section.end),
        heating=analysis.size * part.heat,
        mesh_rows=mesh_rows(mesh),
        steps=run.steps,
        hardening=TANGENT * part.elastic.young if run.plastic_strain.any() else 0.0,
    )


def mesh_rows(mesh: Mesh) -> tuple[tuple[str, str], ...]:
    """Return the rows on the mesh for the report."""
    return (
        ("Element type", "quadrilateral, 9 nodes, 3 x 3 Gauss points"),
        ("Elements", str(len(mesh.elements))),
        ("Nodes", str(len(mesh.points))),
        ("Stresses shown", "at nodes, averaged"),
    )


def stress_field(mesh: Mesh, stress: Array) -> StressField:
    """Return interpolated stresses; NaN outside the body."""

    def field(x: Array, y: Array) -> Components:
        found = interpolate(mesh, mesh.points, stress, np.stack([x.ravel(), y.ravel()], axis=1))
        sx, sy, txy = (found[:, k].reshape(x.shape) for k in range(3))
        return sx, sy, txy

    return field


def _displacement_field(mesh: Mesh, displacement: Array) -> Displacement:
    """Of nodes and of points between them; a point just off the rim moves like the nearest node."""
    nodal = displacement.reshape(-1, 2)

    def field(x: Array, y: Array) -> tuple[Array, Array]:
        points = np.stack([x.ravel(), y.ravel()], axis=1)
        found = interpolate(mesh, mesh.points, nodal, points)
        for k in np.flatnonzero(np.isnan(found[:, 0])):
            found[k] = nodal[((mesh.points - points[k]) ** 2).sum(axis=1).argmin()]
        return found[:, 0].reshape(x.shape), found[:, 1].reshape(x.shape)

    return field


def make_motion(mesh: Mesh, snapshots: tuple[Snapshot, ...], *, signed: bool) -> Motion:
    """How the body moves from state to state; colours are those of Sxx, or of von Mises."""

    def displacement(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        return _displacement_field(mesh, _interpolate_snapshots(snapshots, moment).displacement)(x, y)

    def values(x: Array, y: Array, moment: float, magnified: float) -> Array:
        state = _interpolate_snapshots(snapshots, moment)
        shown = state.stress[:, 0] if signed else von_mises_at_nodes(state.stress)
        corners = mesh.points + magnified * state.displacement.reshape(-1, 2)
        return interpolate(mesh, corners, shown, np.stack([x.ravel(), y.ravel()], axis=1)).reshape(x.shape)

    return Motion(displacement, values)


def _interpolate_snapshots(snapshots: tuple[Snapshot, ...], moment: float) -> Snapshot:
    """The state at a moment, straight between the two that were computed."""
    before, after = next((pair for pair in pairwise(snapshots) if moment <= pair[1].share), snapshots[-2:])
    share = (moment - before.share) / (after.share - before.share)
    return Snapshot(
        moment,
        before.displacement + share * (after.displacement - before.displacement),
        before.stress + share * (after.stress - before.stress),
    )


def outlines(mesh: Mesh) -> tuple[tuple[Point, ...], ...]:
    """The rim as closed lines through all of its nodes."""
    following = {int(first): (int(middle), int(last)) for first, middle, last in mesh.rim}
    loops = []
    while following:
        start = next(iter(following))
        nodes, at = [start], start
        while at in following:
            middle, at = following.pop(at)
            nodes += [middle, at]
        loops.append(tuple((float(x), float(y)) for x, y in mesh.points[nodes]))
    return tuple(loops)


_OVER = 1.15
"""The least utilisation of a part that is over its limit."""
_BELOW = 0.85
_MOST_HEAT = 400.0
"""Kelvin, beyond which no material of ours keeps its figures."""


def make_candidate(make: Callable[[ParameterRng], Part], draw: ParameterRng) -> Candidate:
    """Draw parameters and defects, and return a candidate with its expected answers."""
    part = make(draw)
    outcome = draw_outcome(draw)
    elastic_support = weaken_support(part, draw.between(0.12, 0.3), draw.between(0, 1)) if draw.chance() else None
    use = draw_utilisation(draw, part)
    coarse = analyse_at_utilisation(part, part.coarse, use, elastic_support)
    if abs(coarse.size * part.heat) > _MOST_HEAT:
        # as far as heat allows, clearly on one side of the limit
        use = use * _MOST_HEAT / abs(coarse.size * part.heat)
        use = use if use > _OVER else min(use, _BELOW)
        coarse = analyse_at_utilisation(part, part.coarse, use, elastic_support)
    start_share = draw.between(0.7, 0.82)

    def solve() -> Case:
        return _solve(analyse_at_utilisation(part, part.fine, use, elastic_support), outcome, start_share)

    return Candidate(expected_answers(coarse, outcome), solve)


def draw_outcome(draw: ParameterRng) -> SolverOutcome:
    """Both laws kept or broken, each by itself."""
    return SolverOutcome(is_balanced=draw.chance(), is_converged=draw.chance(), tolerance=draw.pick((1e-4, 1e-5, 1e-6)))


def draw_utilisation(draw: ParameterRng, part: Part) -> float:
    """Stress over strength: a ductile part is mostly over its yield strength, a brittle one mostly below its own."""
    ductile = part.material.is_ductile
    if draw.chance(0.75 if ductile else 0.25):
        return draw.between(_OVER, part.max_overload if ductile else 1.6)
    return draw.between(0.3, _BELOW)


def expected_answers(analysis: Analysis, outcome: SolverOutcome) -> dict[str, bool]:
    """The answers of a linear solution, and of the laws that are meant to be kept."""
    size = np.array([0.5 if outcome.is_converged else 2.0]) * outcome.tolerance
    run = SolverRun(
        displacement=analysis.displacement,
        stress=analysis.stress,
        reaction=analysis.problem.reactions(analysis.displacement, analysis.load, analysis.heating),
        residuals=normalized_residuals(size, size, outcome.tolerance),
        plastic_strain=np.zeros(len(analysis.stress)),
        snapshots=(),
        steps=1,
    )
    facts = measure_facts(analysis, run)
    if not outcome.is_balanced:
        facts = replace(facts, balances=tuple(replace(row, reaction=0.9 * row.reaction) for row in facts.balances))
    return answer_all(QUESTIONS, facts)


def _solve(analysis: Analysis, outcome: SolverOutcome, start_share: float) -> Case:
    material = analysis.part.material
    use = float(von_mises_at_nodes(analysis.stress).max()) / material.yield_strength if material.is_ductile else 0.0
    run = solve_plastic(analysis, outcome, 1 / use) if use > 1 else solve_linear(analysis, outcome, start_share)
    facts, body = measure_facts(analysis, run), _body(analysis, run)
    motion = make_motion(analysis.problem.space.mesh, run.snapshots, signed=body.signed)
    return build_case(body, facts, make_scene(body, motion, facts.displacement))

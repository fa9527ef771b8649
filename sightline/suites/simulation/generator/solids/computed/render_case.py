"""Case construction from a solved part: interpolated fields, deformed shape and report."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sightline.suites.simulation.generator.arrays import Array, Point
from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.solids.body import Body, Displacement, Support
from sightline.suites.simulation.generator.solids.build_case import build_case
from sightline.suites.simulation.generator.solids.computed.analysis import Analysis
from sightline.suites.simulation.generator.solids.computed.measure import measure_facts, von_mises_at_nodes
from sightline.suites.simulation.generator.solids.computed.plasticity_case import TANGENT
from sightline.suites.simulation.generator.solids.computed.solver_history import Snapshot, SolverRun
from sightline.suites.simulation.generator.solids.scene import Motion, make_scene
from sightline.suites.simulation.generator.solids.stress import Components, StressField
from sightline.suites.simulation.solvers.solids.interpolation import interpolate
from sightline.suites.simulation.solvers.solids.mesh import Mesh


def render_case(analysis: Analysis, run: SolverRun) -> Case:
    """Build the case of a solver run."""
    facts = measure_facts(analysis, run)
    body = _body(analysis, run)
    motion = make_motion(analysis.problem.space.mesh, run.snapshots, signed=analysis.part.signed)
    return build_case(body, facts, make_scene(body, motion, facts.displacement))


def _body(analysis: Analysis, run: SolverRun) -> Body:
    part, mesh = analysis.part, analysis.problem.space.mesh
    return Body(
        kind=part.kind,
        title=part.title,
        units=part.units,
        material=part.material,
        window=part.window,
        stress=stress_field(mesh, run.stress),
        displacement=_displacement_field(mesh, run.displacement),
        samples=(mesh.points[:, 0], mesh.points[:, 1]),
        outlines=outlines(mesh),
        supports=tuple(Support(name="", at=(0.0, 0.0), direction=(1.0, 0.0), hatch=hatch) for hatch in part.hatches),
        loads=part.loads,
        balances=(),
        geometry=part.geometry,
        load_rows=tuple((label, analysis.size * value, unit) for label, value, unit in part.load_rows),
        section=(part.section.start, part.section.end),
        signed=part.signed,
        heating=analysis.size * part.heat,
        heated=part.heated,
        length=part.length,
        marks=part.marks,
        mesh_rows=mesh_rows(mesh),
        steps=run.steps,
        hardening=TANGENT * part.elastic.young if run.flowed.any() else 0.0,
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

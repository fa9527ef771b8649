"""Measurement of facts on solved fields: nodal peaks, section resultants, buckling, balance, supports."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.solids.computed.analysis import Analysis, significant_resultants
from sightline.suites.simulation.generator.solids.computed.part import Cut, Part
from sightline.suites.simulation.generator.solids.computed.solver_history import SolverRun
from sightline.suites.simulation.generator.solids.facts import Balance, SolidFacts
from sightline.suites.simulation.generator.solids.stress import peak_stresses, von_mises
from sightline.suites.simulation.solvers.solids.interpolation import interpolate
from sightline.suites.simulation.solvers.solids.mesh import Mesh
from sightline.suites.simulation.solvers.solids.statics import linear_buckling_factor, resultant
from sightline.suites.simulation.solvers.solids.strut import strut_factor
from sightline.suites.simulation.solvers.solids.supports import support_displacement

_ON_A_CUT = 161
_NO_FORCE = 0.01
"""A mean stress below this share of the peak is what rounding and early stops leave of none."""
_ROUNDING = 1e-6
_STRUT_ELEMENTS = 24
_UNITS = (("Fx", "force"), ("Fy", "force"), ("Mz", "moment"))


def measure_facts(analysis: Analysis, run: SolverRun) -> SolidFacts:
    """Measure all facts that the questions depend on."""
    part, mesh = analysis.part, analysis.problem.space.mesh
    equivalent = von_mises_at_nodes(run.stress)
    tension, compression = peak_stresses((run.stress[:, 0], run.stress[:, 1], run.stress[:, 2]))
    shares = [_resultants(part, mesh, run.stress, cut) for cut in part.cuts]
    peak = float(equivalent.max())
    squeeze = max([-force for force, axial, _ in shares if axial > _NO_FORCE * peak] + [0.0])
    x, y = mesh.points[int(equivalent.argmax())]
    return SolidFacts(
        material=part.material,
        von_mises_high=peak,
        von_mises_low=float(equivalent.min()),
        linear_peak=float(von_mises_at_nodes(analysis.stress).max()) if run.flowed.any() else peak,
        flowed=float(run.flowed.max()),
        peak_at=(float(x), float(y)),
        tension=tension,
        compression=compression,
        axial=_without_rounding(max(axial for _, axial, _ in shares), peak),
        bending=_without_rounding(max(bending for _, _, bending in shares), peak),
        torsion=0.0,
        thermal=_without_rounding(float(von_mises_at_nodes(analysis.thermal).max()), peak),
        loads=part.loads,
        acting=sum(value != 0 for _, value, _ in part.load_rows) + (part.heat != 0),
        balances=_balances(analysis, run),
        supports=tuple(
            (hold.name, support_displacement(mesh, hold, run.displacement)) for hold in analysis.problem.holds
        ),
        squeeze=squeeze,
        buckling_load=squeeze * _buckling_factor(analysis) if squeeze else float(np.inf),
        displacement=float(np.hypot(*run.displacement.reshape(-1, 2).T).max()),
        length=part.length,
        residuals=run.residuals,
    )


def _without_rounding(value: float, scale: float) -> float:
    """None where only rounding is left."""
    return value if value > _ROUNDING * scale else 0.0


def von_mises_at_nodes(stress: Array) -> Array:
    """Von Mises stress of components by node."""
    return von_mises((stress[:, 0], stress[:, 1], stress[:, 2]))


def _on_line(mesh: Mesh, stress: Array, cut: Cut) -> Array:
    places = np.linspace(0, 1, _ON_A_CUT)[:, None]
    points = np.array(cut.start) + places * (np.array(cut.end) - np.array(cut.start))
    return interpolate(mesh, mesh.points, stress, points)


def _resultants(part: Part, mesh: Mesh, stress: Array, cut: Cut) -> tuple[float, float, float]:
    """The force across a cut, and the peaks of the stresses by which force and moment would be spread over it."""
    along = np.array(cut.end) - np.array(cut.start)
    length = float(np.hypot(*along))
    nx, ny = along[1] / length, -along[0] / length
    sx, sy, txy = _on_line(mesh, stress, cut).T
    normal = sx * nx**2 + sy * ny**2 + 2 * txy * nx * ny
    inside = ~np.isnan(normal)
    place = np.linspace(-0.5, 0.5, _ON_A_CUT)[inside] * length
    step = length / (_ON_A_CUT - 1)
    area, normal = place.size * step, normal[inside]
    mean = float(normal.mean())
    centre = float(place.mean())
    inertia = float(((place - centre) ** 2).sum() * step)
    moment = float(((normal - mean) * (place - centre)).sum() * step)
    reach = float(np.abs(place - centre).max())
    return mean * area * part.elastic.thickness, abs(mean), abs(moment) * reach / inertia


def _balances(analysis: Analysis, run: SolverRun) -> tuple[Balance, ...]:
    applied = resultant(analysis.problem, analysis.load)
    return tuple(
        Balance(name, unit, float(load), float(reaction))
        for (name, unit), load, reaction, matters in zip(
            _UNITS, applied, run.reaction, significant_resultants(analysis, applied), strict=True
        )
        if matters
    )


def _buckling_factor(analysis: Analysis) -> float:
    """The lower one of both ways to give way, for the linear stress."""
    part = analysis.part
    factor = float(np.inf)
    if part.buckles_in_plane:
        factor = linear_buckling_factor(analysis.problem, analysis.displacement, analysis.heating)
    if part.strut is None:
        return factor
    strut, thickness = part.strut, part.elastic.thickness
    length = strut.right - strut.left
    middles = strut.left + length * (np.arange(_STRUT_ELEMENTS) + 0.5) / _STRUT_ELEMENTS
    heights = np.linspace(-strut.half_height, strut.half_height, _ON_A_CUT)
    points = np.stack(np.meshgrid(middles, heights, indexing="ij"), axis=-1).reshape(-1, 2)
    mesh = analysis.problem.space.mesh
    normal = interpolate(mesh, mesh.points, analysis.stress[:, 0], points).reshape(_STRUT_ELEMENTS, _ON_A_CUT)
    step = heights[1] - heights[0]
    widths = np.minimum((~np.isnan(normal)).sum(axis=1) * step, 2 * strut.half_height)
    push = -np.nansum(normal, axis=1) * step * thickness
    bending = part.elastic.young * widths * thickness**3 / 12
    return min(factor, strut_factor(length, bending, push, both_clamped=strut.both_clamped))

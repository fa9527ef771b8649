"""The same frames solved by PyNite and by OpenSees, in our terms. Both are optional.

PyNite holds nodes in global directions only. OpenSees takes element loads in local axes; here uniform ones over the
whole member and forces. The rotation of a joint where every member end is hinged has no stiffness in either, so it is
held there: nothing turns it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sightline.suites.structural.fem import Frame, MemberLineLoad, MemberPointLoad, NodeLoad
from tests.suites.structural.fem.frames import hinged_joints, length_of


class Answer(NamedTuple):
    """Displacements (nodes, 3), reactions at nodes (nodes, 3), end forces in local axes (members, 6)."""

    displacements: Any
    reactions: Any
    end_forces: Any


def held_axes(frame: Frame) -> dict[int, list[bool]]:
    """Which of ux, uy, rz are held at which node."""
    held: dict[int, list[bool]] = {}
    for support in frame.supports:
        axes = held.setdefault(support.node, [False] * 3)
        for direction in support.held:
            axes[int(np.argmax(np.abs(direction)))] = True
    return held


def direction_of(frame: Frame, member: int) -> tuple[float, float]:
    """Cosine and sine of a member's direction."""
    a, b = (frame.nodes[i] for i in (frame.members[member].start, frame.members[member].end))
    length = math.hypot(b.x - a.x, b.y - a.y)
    return (b.x - a.x) / length, (b.y - a.y) / length


def with_pynite(frame: Frame) -> Answer:
    """PyNite: a space frame held in its plane."""
    from Pynite import FEModel3D

    model = FEModel3D()
    held, loose = held_axes(frame), hinged_joints(frame)
    for i, node in enumerate(frame.nodes):
        model.add_node(f"N{i}", node.x, node.y, 0.0)
        x, y, turn = held.get(i, [False] * 3)
        model.def_support(f"N{i}", x, y, True, True, True, turn or i in loose)
    for young in {m.E for m in frame.members}:
        model.add_material(str(young), young, young / 2.6, 0.3, 0.0)
    for area, inertia in {(m.A, m.I) for m in frame.members}:
        model.add_section(f"{area} {inertia}", area, inertia, inertia, inertia)
    for i, m in enumerate(frame.members):
        model.add_member(f"M{i}", f"N{m.start}", f"N{m.end}", str(m.E), f"{m.A} {m.I}")
        if m.hinge_start or m.hinge_end:
            model.def_releases(f"M{i}", Rzi=m.hinge_start, Rzj=m.hinge_end)
    _load_pynite(model, frame)
    model.analyze_linear(check_stability=False, sparse=len(frame.nodes) > 100)
    tag = "Combo 1"
    nodes = [model.nodes[f"N{i}"] for i in range(len(frame.nodes))]
    ends = []
    for i in range(len(frame.members)):
        f = model.members[f"M{i}"].F(tag)
        c, s = direction_of(frame, i)
        for k in (0, 6):
            fx, fy, m = float(f[k, 0]), float(f[k + 1, 0]), float(f[k + 5, 0])
            ends.append((c * fx + s * fy, c * fy - s * fx, m))
    return Answer(
        np.array([(n.DX[tag], n.DY[tag], n.RZ[tag]) for n in nodes]),
        np.array([(n.RxnFX[tag], n.RxnFY[tag], n.RxnMZ[tag]) for n in nodes]),
        np.array(ends).reshape(-1, 6),
    )


def _load_pynite(model: Any, frame: Frame) -> None:
    for load in frame.loads:
        if isinstance(load, NodeLoad):
            for name, value in (("FX", load.fx), ("FY", load.fy), ("MZ", load.m)):
                if value:
                    model.add_node_load(f"N{load.node}", name, value)
        elif isinstance(load, MemberPointLoad):
            for name, value in (("FX", load.fx), ("FY", load.fy), ("MZ", load.m)):
                if value:
                    model.add_member_pt_load(f"M{load.member}", name, value, load.at)
        else:
            for name, first, last in (("FX", load.fx_begin, load.fx_end), ("FY", load.fy_begin, load.fy_end)):
                if first or last:
                    model.add_member_dist_load(f"M{load.member}", name, first, last, load.begin, load.end)


def with_opensees(frame: Frame) -> Answer:
    """OpenSees: elastic beam-columns with releases."""
    import openseespy.opensees as ops

    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    held, loose = held_axes(frame), hinged_joints(frame)
    for i, node in enumerate(frame.nodes):
        ops.node(i, node.x, node.y)
        axes = held.get(i, [False] * 3)
        if any(axes) or i in loose:
            ops.fix(i, int(axes[0]), int(axes[1]), int(axes[2] or i in loose))
    ops.geomTransf("Linear", 1)
    for i, m in enumerate(frame.members):
        code = m.hinge_start + 2 * m.hinge_end
        ops.element("elasticBeamColumn", i, m.start, m.end, m.A, m.E, m.I, 1, "-release", code)
    ops.timeSeries("Constant", 1)
    ops.pattern("Plain", 1, 1)
    _load_opensees(ops, frame)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandSPD")
    ops.algorithm("Linear")
    ops.integrator("LoadControl", 1.0)
    ops.analysis("Static", "-noWarnings")
    assert ops.analyze(1) == 0
    ops.reactions()
    nodes, members = range(len(frame.nodes)), range(len(frame.members))
    return Answer(
        np.array([ops.nodeDisp(i) for i in nodes]),
        np.array([ops.nodeReaction(i) for i in nodes]),
        np.array([ops.eleResponse(i, "localForce") for i in members]),
    )


def _load_opensees(ops: Any, frame: Frame) -> None:
    for load in frame.loads:
        if isinstance(load, NodeLoad):
            ops.load(load.node, load.fx, load.fy, load.m)
            continue
        c, s = direction_of(frame, load.member)
        if isinstance(load, MemberPointLoad):
            assert load.m == 0.0
            place = load.at / length_of(frame, load.member)
            along, across = c * load.fx + s * load.fy, c * load.fy - s * load.fx
            ops.eleLoad("-ele", load.member, "-type", "-beamPoint", across, place, along)
        else:
            assert isinstance(load, MemberLineLoad) and load.fx_begin == load.fx_end and load.fy_begin == load.fy_end
            along, across = c * load.fx_begin + s * load.fy_begin, c * load.fy_begin - s * load.fx_begin
            ops.eleLoad("-ele", load.member, "-type", "-beamUniform", across, along)

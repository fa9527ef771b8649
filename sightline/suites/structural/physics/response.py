"""FEM response of a model to load cases: reactions and displacements by vertex, end forces by segment."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from sightline.suites.structural.fem import frame as fem
from sightline.suites.structural.fem.linear_algebra import multiply, orthonormal_basis
from sightline.suites.structural.fem.solver import Structure
from sightline.suites.structural.framecalc.analysis import to_support
from sightline.suites.structural.model import STANDARD_A, STANDARD_E, STANDARD_I
from sightline.suites.structural.physics.mapped_loads import LoadPosition, MappedLoads, find_attachments
from sightline.suites.structural.physics.overlay import Floats, Joint, MappedModel, Segment, VertexPair
from sightline.suites.structural.physics.sections import Section

Restraints = tuple[tuple[float, float, float], ...]
_AS_WRITTEN = Section()


class Variant(Struct, frozen=True, kw_only=True):
    """Which properties of a model are used as given, and which are replaced for a controlled comparison."""

    restraints: dict[int, Restraints]
    """Restrained directions by vertex."""
    use_releases: bool = True
    """Use the releases of the model; else every joint is rigid."""
    pinned_vertices: frozenset[int] = frozenset()
    """Vertices where every member end is released, as in an ideal truss."""
    use_given_stiffness: bool = True
    """Use the stiffnesses of the model; else all members have the standard stiffness."""
    sections: dict[str, Section] = {}
    """Factors on the stiffnesses of the links, by id."""


class Response(Struct):
    """Arrays of cases × vertices, segments or joints.

    Segment forces are in axes from the lower vertex index to the upper. Joints are told apart by what they connect, so
    members that only cross move independently.
    """

    pairs: list[VertexPair]
    joints: list[tuple[int, list[VertexPair]]]
    reactions: Floats
    forces: Floats
    """Cases × segments × (axial, transverse, moment at the lower vertex index; the same at the upper)."""
    displacements: Floats


class VariantSolver:
    """FEM solver of one model in one variant, for any number of load cases."""

    def __init__(self, mapped: MappedModel, vertices: Floats, variant: Variant) -> None:
        self.variant = variant
        self._mapped = mapped
        self._vertices = vertices
        self._attachments = find_attachments(mapped)
        self._nodes = _nodes(mapped)
        self._node_at_vertex = {vertex: index for (vertex, name), index in self._nodes.items() if not name}
        for (vertex, _), index in self._nodes.items():
            self._node_at_vertex.setdefault(vertex, index)
        joints = sorted(
            (vertex, sorted(carriers), self._nodes[vertex, name])
            for (vertex, name), carriers in self._attachments.translating.items()
        )
        self._joints = [(vertex, carriers) for vertex, carriers, _ in joints]
        self._joint_nodes = [node for _, _, node in joints]
        self._restrained_vertices = [vertex for vertex in variant.restraints if vertex in self._node_at_vertex]
        self._restrained_nodes = [self._node_at_vertex[vertex] for vertex in self._restrained_vertices]
        self._structure = Structure(
            fem.Frame(
                nodes=tuple(fem.Node(*map(float, vertices[vertex])) for vertex, _ in self._nodes),
                members=tuple(self._member(segment, variant) for segment in mapped.segments),
                supports=tuple(
                    fem.Support(node, variant.restraints[vertex])
                    for vertex, node in zip(self._restrained_vertices, self._restrained_nodes, strict=True)
                ),
            )
        )

    def solve_cases(self, cases: Sequence[MappedLoads]) -> Response:
        """Solve all load cases with one factorisation."""
        loads = [self._loads(case) for case in cases]
        solutions = self._structure.solve_many(loads)
        pairs = sorted({segment.vertex_pair for segment in self._mapped.segments})
        row = {pair: index for index, pair in enumerate(pairs)}
        size = len(self._vertices)
        response = Response(
            pairs,
            self._joints,
            np.zeros((len(cases), size, 3)),
            np.zeros((len(cases), len(pairs), 6)),
            np.zeros((len(cases), len(self._joints), 2)),
        )
        rows = [row[segment.vertex_pair] for segment in self._mapped.segments]
        backwards = np.array([segment.begin > segment.end for segment in self._mapped.segments])
        for number, solution in enumerate(solutions):
            # coincident segments share the load: their forces are summed
            ends = self._forces_inside(solution.end_forces, loads[number])
            np.add.at(response.forces[number], rows, _in_pair_axes(ends, backwards))
            response.reactions[number, self._restrained_vertices] = solution.node_reactions[self._restrained_nodes]
            response.displacements[number] = solution.displacements[self._joint_nodes, :2]
        return response

    def _forces_inside(self, end_forces: Floats, loads: list[fem.Load]) -> Floats:
        """End forces just inside the members, where a moment on a hinged end acts like one on its joint."""
        inside = end_forces.copy()
        for load in loads:
            if isinstance(load, fem.MemberPointLoad) and load.at in (0.0, self._mapped.segments[load.member].length):
                inside[load.member, 2 if load.at == 0.0 else 5] += load.m
        return inside

    def _member(self, segment: Segment, variant: Variant) -> fem.Member:
        link = segment.link
        use_given, section = variant.use_given_stiffness, variant.sections.get(segment.link.id, _AS_WRITTEN)
        begin, end = segment.joints
        return fem.Member(
            start=self._nodes[begin],
            end=self._nodes[end],
            E=link.E if use_given else STANDARD_E,
            A=link.A * section.area_factor if use_given else STANDARD_A,
            I=link.Iz * section.inertia_factor if use_given else STANDARD_I,
            hinge_start=segment.first
            and (segment.begin in variant.pinned_vertices or (variant.use_releases and link.hinge_a)),
            hinge_end=segment.last
            and (segment.end in variant.pinned_vertices or (variant.use_releases and link.hinge_b)),
        )

    def _loads(self, case: MappedLoads) -> list[fem.Load]:
        first = {segment.vertex_pair: index for index, segment in reversed(list(enumerate(self._mapped.segments)))}
        loads: list[fem.Load] = []
        for position, (fx, fy, m) in case.point_loads:
            if isinstance(position.location, int):
                loads += self._at(position, fx, fy, m)
            elif position.location in first:
                segment = self._mapped.segments[first[position.location]]
                loads.append(
                    fem.MemberPointLoad(
                        first[position.location], _distance_along(segment, position.at, self._vertices), fx, fy, m
                    )
                )
        for line_load in case.line_loads:
            if line_load.vertex_pair in first:
                segment = self._mapped.segments[first[line_load.vertex_pair]]
                ends = [
                    (_distance_along(segment, line_load.begin, self._vertices), line_load.at_begin),
                    (_distance_along(segment, line_load.end, self._vertices), line_load.at_end),
                ]
                (begin, at_begin), (end, at_end) = sorted(ends)
                loads.append(fem.MemberLineLoad(first[line_load.vertex_pair], begin, end, *at_begin, *at_end))
        return loads

    def _at(self, position: LoadPosition, fx: float, fy: float, m: float) -> list[fem.Load]:
        """Loads of the frame for a load at a vertex, on its carriers; empty where this model has no such attachment."""
        assert isinstance(position.location, int)
        vertex = position.location
        if position.carriers is None:
            return [fem.NodeLoad(self._node_at_vertex[vertex], fx, fy, m)] if vertex in self._node_at_vertex else []
        attachment = self._attachments.find(vertex, position.carriers, rotates=m != 0.0)
        if attachment is None:
            return []
        if attachment in self._nodes:
            return [fem.NodeLoad(self._nodes[attachment], fx, fy, m)]
        for number, segment in enumerate(self._mapped.segments):
            if segment.link.id == attachment[1] and vertex in segment.vertex_pair:
                return [fem.MemberPointLoad(number, 0.0 if segment.begin == vertex else segment.length, fx, fy, m)]
        return []


def _nodes(mapped: MappedModel) -> dict[Joint, int]:
    """Node index by joint; crossing members have their own."""
    nodes: dict[Joint, int] = {}
    for segment in mapped.segments:
        for joint in segment.joints:
            nodes.setdefault(joint, len(nodes))
    return nodes


def _distance_along(segment: Segment, at: float, vertices: Floats) -> float:
    """Convert metres from the lower vertex index to metres in the direction of the segment, within its length."""
    length = min(segment.length, float(np.hypot(*(vertices[segment.end] - vertices[segment.begin]))))
    return min(max(at if segment.begin < segment.end else segment.length - at, 0.0), length)


def _in_pair_axes(end_forces: Floats, backwards: Floats) -> Floats:
    """End forces in axes from the lower vertex index to the upper: others are rotated by 180°."""
    turned = end_forces[:, [3, 4, 5, 0, 1, 2]] * np.array([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
    return np.where(backwards[:, None], turned, end_forces)


def same_restraints(truth: Restraints, answer: Restraints, tolerance: float) -> bool:
    """Whether the same motions are restrained, in directions within a tolerance in radians of each other."""
    gap = _restraint_projector(truth) - _restraint_projector(answer)
    # two directions at an angle have projectors whose difference has the singular values ± sin of the angle
    return bool((gap * gap).sum() <= 2.0 * math.sin(tolerance) ** 2)


def align_restraints(
    truth: dict[int, Restraints], answer: dict[int, Restraints], tolerance: float
) -> dict[int, Restraints]:
    """The answer's restraints, with the truth's directions wherever they are the same within the tolerance."""
    return {
        vertex: truth[vertex]
        if vertex in truth and same_restraints(truth[vertex], restraints, tolerance)
        else restraints
        for vertex, restraints in answer.items()
    }


def _restraint_projector(restraints: Restraints) -> Floats:
    """Projector onto the restrained motions: the same for a support rotated by 180° and for one given twice."""
    if not restraints:
        return np.zeros((3, 3))
    rows, rank = orthonormal_basis(restraints, 1e-6)
    return multiply(rows[:rank].T, rows[:rank])


def restraints_by_vertex(mapped: MappedModel) -> dict[int, Restraints]:
    """Restraints of all supports of a model; those of several supports at a vertex are combined."""
    result: dict[int, Restraints] = {}
    for support in mapped.model.supports:
        vertex = mapped.vertex_of[support.point]
        result[vertex] = result.get(vertex, ()) + to_support(support).held
    return result

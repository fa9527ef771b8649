"""FEM analysis of a model: `Model` → `Frame`, and results in the field names and sign conventions of FrameCalc.

Reactions act on the structure. Along a link n is positive in compression, v is the local y force on the part before the
cut, and m is the counter-clockwise moment on that part's start carried along by dm/ds = −v: minus the sagging moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from sightline.suites.structural.fem import frame as fem
from sightline.suites.structural.fem.mechanism import MechanismError
from sightline.suites.structural.fem.solver import Solution, solve
from sightline.suites.structural.model import DistributedLoad, Link, Load, Model, Moment, PointSupport


def to_frame(model: Model) -> fem.Frame:
    """The FEM frame of a model. Points, links, supports and loads keep their order, so indices correspond."""
    node = {point.id: index for index, point in enumerate(model.points)}
    member = {link.id: index for index, link in enumerate(model.links)}
    return fem.Frame(
        nodes=tuple(fem.Node(point.x, point.y) for point in model.points),
        members=tuple(
            fem.Member(
                start=node[link.a],
                end=node[link.b],
                E=link.E,
                A=link.A,
                I=link.Iz,
                hinge_start=link.hinge_a,
                hinge_end=link.hinge_b,
            )
            for link in model.links
        ),
        supports=tuple(to_support(support, node[support.point]) for support in model.supports),
        loads=tuple(_load(load, node, member) for load in model.loads),
    )


def solve_model(model: Model) -> Solution:
    """Solve a model under its own loads. A `MechanismError` names the point by its id."""
    try:
        return solve(to_frame(model))
    except MechanismError as error:
        raise error.with_node_name(model.points[error.node].id) from None


def to_support(support: PointSupport, node: int = 0) -> fem.Support:
    """The FEM support at a node; its `held` are the restrained directions of (ux, uy, rz)."""
    match support.kind:
        case "pin":
            return fem.Support.pin(node)
        case "fixed":
            return fem.Support.fixed(node)
        case "roller":
            return fem.Support.roller(node, support.angle + 90.0)
        case "slider":
            return fem.Support.slider(node, support.angle)


def _load(load: Load, node: dict[str, int], member: dict[str, int]) -> fem.Load:
    if isinstance(load, DistributedLoad):
        x, y = fem.unit_vector(load.angle)
        return fem.MemberLineLoad(
            member=member[load.link],
            begin=load.begin,
            end=load.end,
            fx_begin=load.w_begin * x,
            fy_begin=load.w_begin * y,
            fx_end=load.w_end * x,
            fy_end=load.w_end * y,
        )
    fx, fy, m = 0.0, 0.0, 0.0
    if isinstance(load, Moment):
        m = load.value
    else:
        fx, fy = (load.value * part for part in fem.unit_vector(load.angle))
    if load.link:
        return fem.MemberPointLoad(member[load.link], load.offset, fx, fy, m)
    return fem.NodeLoad(node[load.point], fx, fy, m)


_COMPONENTS = {"pin": ("ux", "uy"), "fixed": ("ux", "uy", "rz"), "roller": ("normal",), "slider": ("normal", "rz")}


def format_force(value: float, noise: float = 0.0) -> str:
    """A force or moment with four significant digits, rounded to ten first so that equal forces are formatted alike."""
    return f"{float(f'{value:.10g}'):.4g}" if abs(value) > noise else "0"


def list_reactions(model: Model, solution: Solution) -> list[dict[str, Any]]:
    """Support reactions as `{atId, type, value}`, in the order of the model."""
    return [
        {"atId": support.id, "type": kind, "value": value}
        for support, reaction in zip(model.supports, solution.reactions, strict=True)
        for kind, value in zip(_COMPONENTS[support.kind], reaction.components, strict=True)
    ]


def sample_internal_forces(model: Model, solution: Solution, count: int = 101) -> list[dict[str, Any]]:
    """Internal forces as `{linkId, samples: [{s, n, v, m}]}` link by link, in the order of the ids.

    A link is split where a force or moment acts inside it; each part has `count` samples, and at a split the value is
    the limit from beyond it.
    """
    link_index = {link.id: index for index, link in enumerate(model.links)}
    rows = []
    for link in sorted(model.links, key=lambda link: link.id):
        diagram = solution.diagram(link_index[link.id])
        along = list(_along(model, link, diagram.length, count))
        n, v, m = (values.tolist() for values in diagram.at(along))
        rows.append(
            {
                "linkId": link.id,
                "samples": [
                    {"s": s, "n": 0.0 - a, "v": b, "m": 0.0 - c} for s, a, b, c in zip(along, n, v, m, strict=True)
                ],
            }
        )
    return rows


def _along(model: Model, link: Link, length: float, count: int) -> Iterator[float]:
    near = 1e-9 * length
    acting = {load.offset for load in model.loads if load.link == link.id and not isinstance(load, DistributedLoad)}
    cuts = sorted(offset for offset in acting if near < offset < length - near)
    for begin, end in pairwise([0.0, *cuts, length]):
        for step in range(count - 1):
            yield begin + (end - begin) * step / (count - 1)
    yield length

"""`Model` → `Frame`: nodes in the order of points, members of links, supports of supports, loads of loads."""

from __future__ import annotations

import math

from sightline.suites.structural.fem import model as fem
from sightline.suites.structural.fem.mechanism import MechanismError
from sightline.suites.structural.fem.solution import Solution
from sightline.suites.structural.fem.structure import solve
from sightline.suites.structural.model import DistributedLoad, Load, Model, Moment, PointSupport

_QUARTERS = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}


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
        supports=tuple(_support(support, node[support.point]) for support in model.supports),
        loads=tuple(_load(load, node, member) for load in model.loads),
    )


def solve_model(model: Model) -> Solution:
    """Solve a model under its own loads. A `MechanismError` names the point by its id."""
    try:
        return solve(to_frame(model))
    except MechanismError as error:
        raise error.with_node_name(model.points[error.node].id) from None


def direction(angle: float) -> tuple[float, float]:
    """The unit vector at an angle in degrees, exact where it lies along an axis."""
    turn = angle % 360.0
    return _QUARTERS.get(turn) or (math.cos(math.radians(turn)), math.sin(math.radians(turn)))


def _support(support: PointSupport, node: int) -> fem.Support:
    if support.kind == "pin":
        return fem.Support.pin(node)
    if support.kind == "fixed":
        return fem.Support.fixed(node)
    if support.kind == "roller":
        return fem.Support.roller(node, support.angle + 90.0)
    return fem.Support.slider(node, support.angle)


def _load(load: Load, node: dict[str, int], member: dict[str, int]) -> fem.Load:
    if isinstance(load, DistributedLoad):
        x, y = direction(load.angle)
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
        fx, fy = (load.value * part for part in direction(load.angle))
    if load.link:
        return fem.MemberPointLoad(member[load.link], load.offset, fx, fy, m)
    return fem.NodeLoad(node[load.point], fx, fy, m)

"""Boundary links: lattice links that cross walls or openings, one per incoming population.

A population that a cell fetches from outside of the fluid is written there beforehand. From walls it is the one that
has just run against it, thrown back (half-way bounce-back), with a push where the wall moves; on curved bodies two are
combined by the distance of the wall (Bouzidi, Firdaouss and Lallemand, Phys. Fluids 13, 2001). From openings it is
thrown back with the sign turned, which holds the pressure.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.solvers.flows import flow_domain as lattice
from sightline.suites.simulation.solvers.flows.flow_domain import Doubles, Flags, FlowDomain, Places, Singles


class BoundaryLinks(Struct, frozen=True, kw_only=True):
    """Links that cross a boundary: crossing point, and inner and outer cell of each."""

    direction: Places
    inner: Places
    """The cell in the fluid."""
    outer: Places
    """The place outside from which it fetches."""
    patch: Places
    share: Doubles
    """Of the way from inner to outer at which the boundary lies."""
    x: Doubles
    y: Doubles

    def select(self, which: Flags) -> BoundaryLinks:
        """Return a selection of the links."""
        return BoundaryLinks(**{name: getattr(self, name)[which] for name in self.__struct_fields__})


def find_boundary_links(flow_domain: FlowDomain, directions: int) -> BoundaryLinks:
    """Find all boundary links of the first `directions` lattice directions."""
    columns = flow_domain.patch.shape[1]
    row, column = np.nonzero(flow_domain.patch == lattice.FLUID)
    found = []
    for q in range(1, directions):
        from_row, from_column = row - lattice.UP[q], column - lattice.ACROSS[q]
        beyond = flow_domain.patch[from_row, from_column] != lattice.FLUID
        r, c, out_r, out_c = row[beyond], column[beyond], from_row[beyond], from_column[beyond]
        share = _wall_fraction(flow_domain, r * columns + c, out_r * columns + out_c)
        found.append(
            BoundaryLinks(
                direction=np.full(r.size, q),
                inner=r * columns + c,
                outer=out_r * columns + out_c,
                patch=flow_domain.patch[out_r, out_c],
                share=share,
                x=c - share * lattice.ACROSS[q],
                y=r - share * lattice.UP[q],
            )
        )
    names = BoundaryLinks.__struct_fields__
    return BoundaryLinks(**{name: np.concatenate([getattr(part, name) for part in found]) for name in names})


def _wall_fraction(flow_domain: FlowDomain, inner: Places, outer: Places) -> Doubles:
    """Position of the wall on each link: half-way, or at the zero of the signed distance."""
    if flow_domain.distance is None:
        return np.full(inner.size, 0.5)
    inside, outside = flow_domain.distance.ravel()[inner], flow_domain.distance.ravel()[outer]
    between = inside / np.where(outside < 0, inside - outside, 1.0)
    return np.where(outside < 0, np.clip(between, 0.02, 1.0), 0.5)


class WallLinks(Struct, frozen=True, kw_only=True):
    """Places and shares as the kernel takes them; the last share is the push of the moving wall."""

    at: BoundaryLinks
    places: Places
    shares: Singles
    push_weight: Doubles
    """By what the velocity along the link is multiplied to give the push."""


def wall_links(flow_domain: FlowDomain) -> WallLinks:
    """Return the links of all walls and inlets."""
    every = find_boundary_links(flow_domain, 9)
    is_open = np.array([patch.is_open for patch in flow_domain.patches])
    at = every.select(~is_open[every.patch])
    cells = flow_domain.patch.size
    back = np.array(lattice.OPPOSITE)[at.direction]
    row_step = flow_domain.patch.shape[1]
    behind = at.inner + np.array(lattice.UP)[at.direction] * row_step + np.array(lattice.ACROSS)[at.direction]
    # close to a wall on both sides there is no second cell to combine with
    near = (at.share < 0.5) & (flow_domain.patch.ravel()[behind] == lattice.FLUID)
    share = np.where((at.share < 0.5) & ~near, 0.5, at.share)
    first = np.where(near, 2 * share, 1 / (2 * share))
    second = np.where(near, back * cells + behind, at.direction * cells + at.inner)
    push_weight = 6 * np.array(lattice.WEIGHT)[at.direction] * np.where(near, 1.0, first)
    return WallLinks(
        at=at,
        places=np.stack([at.direction * cells + at.outer, back * cells + at.inner, second], axis=1),
        shares=np.stack([first, 1 - first, np.zeros_like(first)], axis=1).astype(np.float32),
        push_weight=push_weight,
    )


def prescribed_velocity(flow_domain: FlowDomain, at: BoundaryLinks) -> tuple[Doubles, Doubles]:
    """Return the velocity prescribed by the patches at each link."""
    u, v = np.zeros(at.x.size), np.zeros(at.x.size)
    for number, patch in enumerate(flow_domain.patches):
        mine = at.patch == number
        u[mine], v[mine] = patch.velocity(at.x[mine], at.y[mine])
    return u, v


def wall_momentum(links: WallLinks, u: Doubles, v: Doubles) -> Singles:
    """Return the momentum that moving walls add to the populations."""
    along = u * np.array(lattice.ACROSS)[links.at.direction] + v * np.array(lattice.UP)[links.at.direction]
    return np.asarray(links.push_weight * along, dtype=np.float32)


def opening_links(flow_domain: FlowDomain) -> tuple[Places, Singles, Places]:
    """Return indices, weights and inner cells of all open boundaries."""
    every = find_boundary_links(flow_domain, 9)
    is_open = np.array([patch.is_open for patch in flow_domain.patches])
    at = every.select(is_open[every.patch])
    cells, back = flow_domain.patch.size, np.array(lattice.OPPOSITE)[at.direction]
    places = np.stack([at.direction * cells + at.outer, back * cells + at.inner], axis=1)
    direction = at.direction
    shares = (np.array(lattice.ACROSS)[direction], np.array(lattice.UP)[direction], np.array(lattice.WEIGHT)[direction])
    return places, np.stack(shares, axis=1).astype(np.float32), at.inner


def heat_links(flow_domain: FlowDomain) -> tuple[Places, Singles]:
    """Return the thermal links: isothermal walls, adiabatic walls and openings."""
    at = find_boundary_links(flow_domain, 5)
    cells, back = flow_domain.patch.size, np.array(lattice.OPPOSITE)[at.direction]
    kept = np.array([np.nan if patch.warmth is None else patch.warmth for patch in flow_domain.patches])[at.patch]
    is_open = np.array([patch.is_open for patch in flow_domain.patches])[at.patch] & np.isnan(kept)
    source = np.where(is_open, at.direction, back) * cells + at.inner
    places = np.stack([at.direction * cells + at.outer, source, source], axis=1)
    sign = np.where(np.isnan(kept), 1.0, -1.0)
    given = 2 * np.array(lattice.HEAT_WEIGHT)[at.direction] * np.nan_to_num(kept)
    return places, np.stack([sign, np.zeros_like(sign), given], axis=1).astype(np.float32)


def net_inflow(links: WallLinks, u: Doubles, v: Doubles) -> float:
    """Volume that comes in a step through inlets and goes out through porous walls, in total."""
    across, up = np.array(lattice.ACROSS)[links.at.direction], np.array(lattice.UP)[links.at.direction]
    return float(((u * across + v * up) * (across * up == 0)).sum())

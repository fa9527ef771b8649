"""N, V and M along a member as exact polynomials between the places where loads begin, end or act.

The signs, here and in all of `sightline.suites.structural.fem`, with s running from the member's start to its end,
local x along it and local y 90° counter-clockwise from it:

- N is positive in tension; V is the sum of the local y forces on the part before the cut (end force and loads), which
  is the force that this part exerts along local y on the part after it; M is positive in sagging: tension on the local
  −y side. So a member along +x under downward load has M > 0 at midspan, and V > 0 next to its start.
- dM/ds = V, dV/ds = q_y, dN/ds = −q_x for loads q per length along local x and y. A force (P_x, P_y) makes N jump by
  −P_x and V by +P_y, a counter-clockwise moment m makes M jump by −m.
- End forces act on the member, in local axes, moments counter-clockwise: (fx, fy, m) = (−N, V, −M) at the start and
  (N, −V, M) at the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sightline.suites.structural.fem.elements import Floats
from sightline.suites.structural.fem.frame import MemberLineLoad, MemberPointLoad
from sightline.suites.structural.fem.loads import MemberLoad

_SAME_POSITION = 1e-12  # of the length: loads there share a break
_BREAK_TOLERANCE = 1e-9  # of the length: who asks this near to a break means the break


class Peak(NamedTuple):
    """The largest absolute values."""

    n: float
    v: float
    m: float


class Extreme(NamedTuple):
    """A value of N, V or M and where it is."""

    value: float
    s: float


class Values(NamedTuple):
    """N, V and M at the places asked for."""

    n: Floats
    v: Floats
    m: Floats


@dataclass(frozen=True)
class Diagram:
    """Piece i runs from breaks[i] to breaks[i + 1]; pieces[i, k] are the coefficients of N, V or M in s − breaks[i].

    Lowest power first. A load at the very end of the member has a piece of no length there, so that the outer side of
    the end is always the end force.
    """

    breaks: Floats
    pieces: Floats

    @property
    def length(self) -> float:
        """The member's."""
        return float(self.breaks[-1])

    def at(self, s: ArrayLike, side: Literal["left", "right"] = "right") -> Values:
        """N, V and M at distances from the start; `side` tells which limit is meant where they jump."""
        s = np.asarray(s, dtype=float)
        piece = self._piece(s, side)
        local = s - self.breaks[piece]
        c = self.pieces[piece]
        values = [
            c[..., k, 0] + local * (c[..., k, 1] + local * (c[..., k, 2] + local * c[..., k, 3])) for k in range(3)
        ]
        return Values(*values)

    def _piece(self, s: Floats, side: str) -> Floats:
        near = _BREAK_TOLERANCE * self.length
        inner = self.breaks[1:-1]
        position = inner - near if side == "right" else inner + near
        return np.asarray(np.searchsorted(position, s, side="right" if side == "right" else "left"))

    def extremes(self) -> dict[str, tuple[Extreme, Extreme]]:
        """The smallest and the largest value of "n", "v" and "m", at ends, breaks or where a polynomial turns."""
        extremes_by_name = {}
        for k, name in enumerate("nvm"):
            positions, values = self._candidates(k)
            low, high = int(np.argmin(values)), int(np.argmax(values))
            extremes_by_name[name] = (Extreme(values[low], positions[low]), Extreme(values[high], positions[high]))
        return extremes_by_name

    def peak(self) -> Peak:
        """The largest |N|, |V| and |M|."""
        return Peak(*(max(map(abs, self._candidates(k)[1])) for k in range(3)))

    def _candidates(self, k: int) -> tuple[list[float], list[float]]:
        """Both ends of each piece, and the roots of the derivative inside it."""
        positions, values = [], []
        for (start, end), (a, b, c, d) in zip(pairwise(self.breaks.tolist()), self.pieces[:, k].tolist(), strict=True):
            span = end - start
            for t in (0.0, *_turning(b, 2.0 * c, 3.0 * d, span), span):
                positions.append(start + t)
                values.append(a + t * (b + t * (c + t * d)))
        return positions, values

    def integrals(self, s: ArrayLike) -> tuple[Floats, Floats]:
        """∫ N and ∫∫ M from the start to s: elongation times EA, deflection from the start's tangent times EI."""
        s = np.asarray(s, dtype=float)
        piece = self._piece(s, "right")
        carried = self._carried()[piece]
        t, n, m = s - self.breaks[piece], self.pieces[piece, 0], self.pieces[piece, 2]
        stretch = carried[..., 0] + t * (n[..., 0] + t * (n[..., 1] / 2 + t * (n[..., 2] / 3 + t * n[..., 3] / 4)))
        bent = t * t * (m[..., 0] / 2 + t * (m[..., 1] / 6 + t * (m[..., 2] / 12 + t * m[..., 3] / 20)))
        return stretch, carried[..., 2] + t * carried[..., 1] + bent

    def _carried(self) -> Floats:
        """∫ N, ∫ M and ∫∫ M from the start to the beginning of each piece."""
        rows = [(0.0, 0.0, 0.0)]
        for span, (n, _, m) in zip(np.diff(self.breaks).tolist(), self.pieces.tolist(), strict=True):
            stretch, turn, bend = rows[-1]
            stretch += sum(c * span ** (i + 1) / (i + 1) for i, c in enumerate(n))
            bend += turn * span + sum(c * span ** (i + 2) / ((i + 1) * (i + 2)) for i, c in enumerate(m))
            turn += sum(c * span ** (i + 1) / (i + 1) for i, c in enumerate(m))
            rows.append((stretch, turn, bend))
        return np.array(rows[:-1])


def _turning(constant: float, slope: float, square: float, span: float) -> list[float]:
    """The real roots of a quadratic inside (0, span), by the formula that does not cancel."""
    if square == 0.0:
        roots = [-constant / slope] if slope else []
    else:
        under = slope * slope - 4.0 * square * constant
        if under < 0.0:
            return []
        half = -(slope + math.copysign(math.sqrt(under), slope)) / 2.0
        roots = [half / square] + ([constant / half] if half else [])
    return [root for root in roots if 0.0 < root < span]


class _Line(NamedTuple):
    """A line load in local axes: its value at `begin` and its change per length."""

    begin: float
    end: float
    x: float
    y: float
    x_change: float
    y_change: float


def make_diagram(length: float, direction: tuple[float, float], ends: Floats, loads: Sequence[MemberLoad]) -> Diagram:
    """The diagram that starts with the start's end forces and follows the loads by equilibrium."""
    n, v, m = -float(ends[0]), float(ends[1]), -float(ends[2])
    if not loads:
        return Diagram(np.array([0.0, length]), np.array([[[n, 0, 0, 0], [v, 0, 0, 0], [m, v, 0, 0]]], dtype=float))
    points = [load for load in loads if isinstance(load, MemberPointLoad)]
    lines = [_local(load, direction) for load in loads if isinstance(load, MemberLineLoad) and load.end > load.begin]
    cuts = _cuts(points, lines, length)
    jumps = _jumps(points, cuts, direction)
    breaks = [0.0, *cuts, length]
    pieces = []
    for (start, end), (jump_n, jump_v, jump_m) in zip(pairwise(breaks), [(0.0, 0.0, 0.0), *jumps], strict=True):
        n, v, m = n + jump_n, v + jump_v, m + jump_m
        here = [line for line in lines if line.begin < (start + end) / 2.0 < line.end and end > start]
        x = sum(line.x + line.x_change * (start - line.begin) for line in here)
        y = sum(line.y + line.y_change * (start - line.begin) for line in here)
        x_change, y_change = sum(line.x_change for line in here), sum(line.y_change for line in here)
        pieces.append([[n, -x, -x_change / 2, 0.0], [v, y, y_change / 2, 0.0], [m, v, y / 2, y_change / 6]])
        n, v, m = (a + (end - start) * (b + (end - start) * (c + (end - start) * d)) for a, b, c, d in pieces[-1])
    return Diagram(np.array(breaks), np.array(pieces))


def _local(load: MemberLineLoad, direction: tuple[float, float]) -> _Line:
    cos, sin = direction
    span = load.end - load.begin
    x, y = cos * load.fx_begin + sin * load.fy_begin, cos * load.fy_begin - sin * load.fx_begin
    x_end, y_end = cos * load.fx_end + sin * load.fy_end, cos * load.fy_end - sin * load.fx_end
    return _Line(load.begin, load.end, x, y, (x_end - x) / span, (y_end - y) / span)


def _cuts(points: list[MemberPointLoad], lines: list[_Line], length: float) -> list[float]:
    """Where pieces meet: places that differ by rounding only are one; line loads from end to end need none."""
    near = _SAME_POSITION * length
    positions = [load.at for load in points]
    positions += [end for line in lines for end in (line.begin, line.end) if near < end < length - near]
    cuts: list[float] = []
    for position in sorted(positions):
        if not cuts or position - cuts[-1] > near:
            cuts.append(0.0 if position <= near else length if position >= length - near else position)
    return cuts


def _jumps(points: list[MemberPointLoad], cuts: list[float], direction: tuple[float, float]) -> list[list[float]]:
    """The jump of N, V and M at each cut."""
    cos, sin = direction
    jumps = [[0.0, 0.0, 0.0] for _ in cuts]
    for load in points:
        jump = jumps[min(range(len(cuts)), key=lambda i: abs(cuts[i] - load.at))]
        jump[0] -= cos * load.fx + sin * load.fy
        jump[1] += cos * load.fy - sin * load.fx
        jump[2] -= load.m
    return jumps

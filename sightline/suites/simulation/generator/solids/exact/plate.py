"""A wide plate with a round hole, pulled or pushed along x and perhaps along y (Kirsch)."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array, Window, trapezoidal_integral
from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.body import (
    Body,
    circle,
    clamp,
    draw_material,
    draw_utilisation,
    grid_rows,
    load_for,
    rectangle,
)
from sightline.suites.simulation.generator.solids.exact.build import build_exact_case
from sightline.suites.simulation.generator.solids.facts import Balance, Load
from sightline.suites.simulation.generator.solids.materials import Material
from sightline.suites.simulation.generator.solids.stress import Components, from_polar
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC


class Plate(Struct, frozen=True, kw_only=True):
    """The window cut from an infinite plate whose far stresses are `far_x` and `far_y`."""

    material: Material
    hole: float
    half_length: float
    half_width: float
    thickness: float
    far_x: float
    far_y: float

    def stress(self, x: Array, y: Array) -> Components:
        """Kirsch's solution for the mean and for the difference of the far stresses."""
        r = np.hypot(x, y)
        inside = (r >= self.hole * (1 - 1e-9)) & (np.abs(x) <= self.half_length) & (np.abs(y) <= self.half_width)
        angle, q = np.arctan2(y, x), (self.hole / np.where(inside, r, np.nan)) ** 2
        mean, half = (self.far_x + self.far_y) / 2, (self.far_x - self.far_y) / 2
        c, s = np.cos(2 * angle), np.sin(2 * angle)
        radial = mean * (1 - q) + half * (1 - 4 * q + 3 * q**2) * c
        hoop = mean * (1 + q) - half * (1 + 3 * q**2) * c
        return from_polar(radial, hoop, -half * (1 + 2 * q - 3 * q**2) * s, angle)

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Of plane stress, with the grip's middle at rest."""
        ux, uy = self._about_centre(x, y)
        rest, _ = self._about_centre(np.array([-self.half_length]), np.zeros(1))
        return ux - rest[0], uy

    def _about_centre(self, x: Array, y: Array) -> tuple[Array, Array]:
        nu = self.material.poisson
        kappa, shear = (3 - nu) / (1 + nu), self.material.shear_modulus
        # within the hole the solution has no meaning: it is held at its value on the edge
        r, angle = np.maximum(np.hypot(x, y), 0.8 * self.hole), np.arctan2(y, x)
        q = (self.hole / r) ** 2
        mean, half = (self.far_x + self.far_y) / 2, (self.far_x - self.far_y) / 2
        radial = mean * (kappa - 1 + 2 * q) / 2 + half * (1 + (kappa + 1) * q - q**2) * np.cos(2 * angle)
        hoop = -half * (1 + (kappa - 1) * q + q**2) * np.sin(2 * angle)
        scale = r / (2 * shear)
        c, s = np.cos(angle), np.sin(angle)
        return scale * (radial * c - hoop * s), scale * (radial * s + hoop * c)

    @property
    def window(self) -> Window:
        """The plate itself."""
        return Window(-self.half_length, self.half_length, -self.half_width, self.half_width)

    def edge_force(self, *, across_x: bool) -> float:
        """The force through the edge x = const or y = const, from the field there."""
        half, at = (self.half_width, self.half_length) if across_x else (self.half_length, self.half_width)
        along, fixed = np.linspace(-half, half, 2001), np.full(2001, at)
        stress = self.stress(fixed, along)[0] if across_x else self.stress(along, fixed)[1]
        return self.thickness * trapezoidal_integral(stress, float(along[1] - along[0]))


def make(draw: ParameterRng) -> Case:
    """Tension or compression along x, half of the time with a second stress along y."""
    hole = draw.between(0.008, 0.05)
    sense = draw.pick((1.0, -1.0))
    unit = Plate(
        material=draw_material(draw),
        hole=hole,
        half_length=hole * draw.between(5.5, 7),
        half_width=hole * draw.between(3.6, 4.6),
        thickness=hole * draw.between(0.1, 0.6),
        far_x=sense,
        far_y=sense * draw.pick((0.0, 0.0, 0.5, -0.5)),
    )
    angle = np.linspace(0, 2 * np.pi, 361)
    ring = np.geomspace(hole, unit.half_width, 24)
    samples = np.outer(np.cos(angle), ring), np.outer(np.sin(angle), ring)
    size = load_for(draw_utilisation(draw), unit.material, unit.stress(*samples))
    return build_exact_case(draw, _body(draw, replace(unit, far_x=size * unit.far_x, far_y=size * unit.far_y), samples))


def _body(draw: ParameterRng, plate: Plate, samples: tuple[Array, Array]) -> Body:
    pulled_x, pulled_y = plate.edge_force(across_x=True), plate.edge_force(across_x=False)
    balances = (Balance("Fx", "force", pulled_x, -pulled_x), Balance("Fy", "force", pulled_y, -pulled_y))
    far, above = plate.half_width, 0.34 if plate.far_y else 0.1
    return Body(
        kind="plate",
        title="Plate with a round hole",
        units=draw.pick((METRIC, IMPERIAL)),
        material=plate.material,
        window=plate.window.padded(*(share * plate.half_length for share in (0.1, 0.42, above, above))),
        stress=plate.stress,
        displacement=plate.displacement,
        samples=samples,
        mesh_rows=grid_rows(samples[0].size),
        outlines=(rectangle(plate.window), circle(plate.hole)),
        supports=(clamp("grip at the left edge", -plate.half_length, 1.25 * far, (1.0, 0.0)),),
        loads=_arrows(plate),
        balances=balances if plate.far_y else balances[:1],
        geometry=(
            ("Length", 2 * plate.half_length, "length"),
            ("Width", 2 * plate.half_width, "length"),
            ("Hole diameter", 2 * plate.hole, "length"),
            ("Thickness", plate.thickness, "length"),
        ),
        load_rows=(
            ("Traction on the edge x = L/2", plate.far_x, "stress"),
            ("Traction on the edges y = +-W/2", plate.far_y, "stress"),
        ),
        section=((0.0, plate.hole), (0.0, far)),
        signed=draw.chance(0.4),
        axial=max(abs(plate.far_x), abs(plate.far_y)),
        length=2 * plate.half_length,
    )


def _arrows(plate: Plate) -> tuple[Load, ...]:
    """Tractions as forces on a few points of the edges."""
    length, width = plate.half_length, plate.half_width
    places = np.linspace(-0.8, 0.8, 5)
    along = [Load(x=length, y=width * float(p), fx=plate.far_x, pushes=plate.far_x < 0) for p in places]
    if plate.far_y:
        for side in (1, -1):
            along += [
                Load(x=length * float(p), y=side * width, fy=side * plate.far_y, pushes=plate.far_y < 0) for p in places
            ]
    return tuple(along)

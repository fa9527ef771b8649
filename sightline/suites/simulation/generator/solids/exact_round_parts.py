"""Closed-form parts with round edges: plate with a hole (Kirsch), ring under pressure (Lamé), shaft in torsion."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Array, Case, Line, Point, Window, trapezoidal_integral
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids import body
from sightline.suites.simulation.generator.solids.body import Components, ExactBody, ExactSolid, Support
from sightline.suites.simulation.generator.solids.case_builder import build_exact_case
from sightline.suites.simulation.generator.solids.facts import Balance, Load


class Plate(ExactSolid, frozen=True, kw_only=True):
    """The window cut from an infinite plate whose far stresses are `far_x` and `far_y`."""

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
        return body.from_polar(radial, hoop, -half * (1 + 2 * q - 3 * q**2) * s, angle)

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


def make_plate(draw: ParameterRng) -> Case:
    """Tension or compression along x, half of the time with a second stress along y."""
    hole = draw.between(0.008, 0.05)
    sense = draw.pick((1.0, -1.0))
    unit = Plate(
        material=body.draw_material(draw),
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
    plate = unit.scaled(samples, body.draw_utilisation(draw), "far_x", "far_y")
    return build_exact_case(draw, _plate_body(draw, plate, samples))


def _plate_body(draw: ParameterRng, plate: Plate, samples: tuple[Array, Array]) -> ExactBody:
    pulled_x, pulled_y = plate.edge_force(across_x=True), plate.edge_force(across_x=False)
    balances = (Balance("Fx", "force", pulled_x, -pulled_x), Balance("Fy", "force", pulled_y, -pulled_y))
    far, above = plate.half_width, 0.34 if plate.far_y else 0.1
    return ExactBody(
        **plate.body_fields(draw, samples),
        kind="plate",
        title="Plate with a round hole",
        window=plate.window.padded(*(share * plate.half_length for share in (0.1, 0.42, above, above))),
        outlines=(body.rectangle(plate.window), body.circle(plate.hole)),
        supports=(body.clamp("grip at the left edge", -plate.half_length, 1.25 * far, (1.0, 0.0)),),
        loads=_plate_arrows(plate),
        balances=balances if plate.far_y else balances[:1],
        geometry={
            "Length": 2 * plate.half_length,
            "Width": 2 * plate.half_width,
            "Hole diameter": 2 * plate.hole,
            "Thickness": plate.thickness,
        },
        load_rows=(
            ("Traction on the edge x = L/2", plate.far_x, "stress"),
            ("Traction on the edges y = +-W/2", plate.far_y, "stress"),
        ),
        section=((0.0, plate.hole), (0.0, far)),
        signed=draw.chance(0.4),
        axial=max(abs(plate.far_x), abs(plate.far_y)),
        length=2 * plate.half_length,
    )


def _plate_arrows(plate: Plate) -> tuple[Load, ...]:
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


class Ring(ExactSolid, frozen=True, kw_only=True):
    """Radii, thickness out of the plane, and the pressures at bore and rim.

    The bore may be hot: the temperature falls from it to none at the rim as heat conduction has it.
    """

    inner: float
    outer: float
    thickness: float
    bore_pressure: float
    rim_pressure: float

    @property
    def constants(self) -> tuple[float, float]:
        """A and B of Lamé's solution."""
        a2, b2 = self.inner**2, self.outer**2
        uniform = (self.bore_pressure * a2 - self.rim_pressure * b2) / (b2 - a2)
        return uniform, (self.bore_pressure - self.rim_pressure) * a2 * b2 / (b2 - a2)

    def radial_stress(self, r: Array) -> Array:
        """A - B / r², and what a hot bore adds."""
        uniform, decaying = self.constants
        return uniform - decaying / r**2 + self._thermal(r, -1)

    def hoop_stress(self, r: Array) -> Array:
        """A + B / r², and what a hot bore adds."""
        uniform, decaying = self.constants
        return uniform + decaying / r**2 + self._thermal(r, 1)

    def _thermal(self, r: Array, sign: int) -> Array:
        """Radial (-1) or hoop (1) stress of a logarithmic temperature (Timoshenko & Goodier, 151)."""
        a2, b2, ratio = self.inner**2, self.outer**2, float(np.log(self.outer / self.inner))
        far = a2 / (b2 - a2) * (1 + sign * b2 / r**2) * ratio
        return np.asarray(self.hindered / (2 * ratio) * ((1 + sign) / 2 - np.log(self.outer / r) - far))

    def stress(self, x: Array, y: Array) -> Components:
        """In x and y."""
        r = np.hypot(x, y)
        inside = (r >= self.inner * (1 - 1e-9)) & (r <= self.outer * (1 + 1e-9))
        r = np.where(inside, r, np.nan)
        return body.from_polar(self.radial_stress(r), self.hoop_stress(r), np.zeros_like(r), np.arctan2(y, x))

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Radial, in plane stress: the radius times the hoop strain."""
        # inside of the bore the solution has no meaning: it is held at its value there
        r = np.sqrt(np.maximum(x**2 + y**2, self.inner**2 / 2))
        grown = self.hindered * np.log(self.outer / r) / np.log(self.outer / self.inner)
        share = (self.hoop_stress(r) - self.material.poisson * self.radial_stress(r) + grown) / self.material.young
        return share * x, share * y

    @property
    def bending(self) -> float:
        """The peak of the straight line that has the moment of the hoop stress over the wall."""
        r = np.linspace(self.inner, self.outer, 2001)
        place = r - (self.inner + self.outer) / 2
        wall = self.outer - self.inner
        return abs(trapezoidal_integral(self.hoop_stress(r) * place, float(r[1] - r[0]))) * 6 / wall**2


def make_ring(draw: ParameterRng) -> Case:
    """Under one of the two pressures, perhaps with a hot bore."""
    outer = draw.between(0.06, 0.4)
    from_within = draw.chance(0.6)
    unit = Ring(
        material=body.draw_material(draw),
        inner=outer * draw.between(0.4, 0.72),
        outer=outer,
        thickness=outer * draw.between(0.1, 0.5),
        bore_pressure=1.0 if from_within else 0.0,
        rim_pressure=0.0 if from_within else 1.0,
    )
    samples = _ring_samples(unit)
    if draw.chance(0.6):
        thin = outer / (outer - unit.inner)
        unit = replace(unit, hindered=draw.pick((1.0, -1.0)) * draw.between(0.5, 4.0) * thin)
    ring = unit.scaled(samples, body.draw_utilisation(draw), "bore_pressure", "rim_pressure")
    return build_exact_case(draw, _ring_body(draw, ring, samples))


def _ring_body(draw: ParameterRng, ring: Ring, samples: tuple[Array, Array]) -> ExactBody:
    outer = ring.outer
    r = np.linspace(ring.inner, outer, 2001)
    pushed = 2 * ring.thickness * (ring.bore_pressure * ring.inner - ring.rim_pressure * outer)
    held = -2 * ring.thickness * trapezoidal_integral(ring.hoop_stress(r), r[1] - r[0])
    return ExactBody(
        **ring.body_fields(draw, samples),
        kind="ring",
        title="Thick-walled ring under pressure",
        window=Window(-outer, outer, -outer, outer).expanded(0.35 * outer, 0.3 * outer),
        outlines=(body.circle(outer), body.circle(ring.inner)),
        supports=(
            Support(name="symmetry plane y = 0", at=(outer, 0.0), direction=(0.0, 1.0)),
            Support(name="symmetry plane x = 0", at=(0.0, outer), direction=(1.0, 0.0)),
        ),
        loads=_ring_arrows(ring),
        balances=(Balance("Fy of the half y > 0", "force", pushed, held),),
        geometry={"Inner radius": ring.inner, "Outer radius": outer, "Thickness": ring.thickness},
        load_rows=(
            ("Pressure at the bore", ring.bore_pressure, "stress"),
            ("Pressure at the rim", ring.rim_pressure, "stress"),
        ),
        section=((ring.inner, 0.0), (outer, 0.0)),
        axial=abs(trapezoidal_integral(ring.hoop_stress(r), r[1] - r[0])) / (outer - ring.inner),
        bending=ring.bending,
        thermal=float(np.abs(replace(ring, bore_pressure=0.0, rim_pressure=0.0).hoop_stress(r)).max()),
        # a ring that may grow on all sides is not stressed by a uniform warming
        heating=ring.warming or draw.pick((0.0, 0.0, 60.0)),
        heated="at the bore, none at the rim" if ring.hindered else "throughout",
        length=2 * outer,
        marks=_centre_lines(1.25 * outer, 1.25 * outer),
    )


def _ring_arrows(ring: Ring) -> tuple[Load, ...]:
    """The pressure as forces on a dozen points of the loaded edge."""
    radius, sense = (ring.inner, 1) if ring.bore_pressure else (ring.outer, -1)
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False) + np.pi / 12
    return tuple(
        Load(
            x=radius * float(np.cos(a)),
            y=radius * float(np.sin(a)),
            fx=sense * float(np.cos(a)),
            fy=sense * float(np.sin(a)),
            pushes=True,
        )
        for a in angles
    )


class Shaft(ExactSolid, frozen=True, kw_only=True):
    """Clamped at one end; at the other a torque, and a force of `torque * pull` along the axis."""

    length: float
    inner: float
    outer: float
    torque: float
    pull: float

    @property
    def area(self) -> float:
        """Of the cross-section."""
        return float(np.pi * (self.outer**2 - self.inner**2))

    @property
    def polar_inertia(self) -> float:
        """Polar second moment of area."""
        return float(np.pi / 2 * (self.outer**4 - self.inner**4))

    def stress(self, x: Array, y: Array) -> Components:
        """N/A normal to the section, T r / J within it."""
        r = np.hypot(x, y)
        inside = (r >= self.inner * (1 - 1e-9)) & (r <= self.outer * (1 + 1e-9))
        normal = np.where(inside, self.torque * self.pull / self.area, np.nan)
        return normal, np.zeros_like(r), np.where(inside, self.torque * r / self.polar_inertia, np.nan)

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """The free end turns by T L / (G J)."""
        angle = self.torque * self.length / (self.material.shear_modulus * self.polar_inertia)
        return -angle * y, angle * x


def make_shaft(draw: ParameterRng) -> Case:
    """Solid or hollow, turned either way."""
    outer = draw.between(0.02, 0.08)
    unit = Shaft(
        material=body.draw_material(draw),
        length=outer * draw.between(14, 50),
        inner=draw.pick((0.0, 0.4, 0.6)) * outer,
        outer=outer,
        torque=draw.pick((-1.0, 1.0)),
        pull=draw.pick((0.0, 1.0, -1.0, -4.0)) / outer,
    )
    samples = _ring_samples(unit)
    shaft = unit.scaled(samples, body.draw_utilisation(draw), "torque")
    return build_exact_case(draw, _shaft_body(draw, shaft, samples))


def _shaft_body(draw: ParameterRng, shaft: Shaft, samples: tuple[Array, Array]) -> ExactBody:
    outer, axial = shaft.outer, shaft.torque * shaft.pull
    corners = [(outer * float(np.cos(a)), outer * float(np.sin(a))) for a in (0.2, 2.3, 4.4)]
    balances = (Balance("Mx", "moment", shaft.torque, -shaft.torque), Balance("Fx", "force", axial, -axial))
    inertia = shaft.polar_inertia / 2
    return ExactBody(
        **shaft.body_fields(draw, samples),
        kind="shaft",
        title="Round shaft in torsion, cross-section at the free end",
        window=Window(-outer, outer, -outer, outer).expanded(0.35 * outer, 0.25 * outer),
        outlines=(body.circle(outer), *((body.circle(shaft.inner),) if shaft.inner else ()), *_spokes(shaft)),
        supports=(Support(name="axis at the clamped end", at=(0.0, 0.0), direction=(1.0, 0.0)),),
        loads=tuple(Load(x=x, y=y, torque=shaft.torque) for x, y in corners),
        balances=balances if axial else balances[:1],
        geometry={"Length": shaft.length, "Outer diameter": 2 * outer, "Bore diameter": 2 * shaft.inner},
        load_rows=(
            ("Torque Mx at the free end", shaft.torque, "moment"),
            ("Axial force at the free end", axial, "force"),
        ),
        section=((-outer, 0.0), (outer, 0.0)),
        axial=abs(axial) / shaft.area,
        torsion=abs(shaft.torque) * outer / shaft.polar_inertia,
        heating=draw.pick((0.0, 0.0, 30.0)),
        axial_compression=max(0.0, -axial),
        buckling_load=body.euler_load(shaft.material, inertia, shaft.length, 2.0),
        length=shaft.length,
        marks=_centre_lines(1.25 * outer, 1.2 * outer),
    )


def _spokes(shaft: Shaft) -> tuple[tuple[Point, ...], ...]:
    """Radial lines that turn with the section, without which its turning could not be seen."""
    angles = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    return tuple(
        tuple((r * float(np.cos(a)), r * float(np.sin(a))) for r in (shaft.inner, shaft.outer)) for a in angles
    )


def _ring_samples(solid: Ring | Shaft) -> tuple[Array, Array]:
    r = np.linspace(solid.inner, solid.outer, 61)
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    return np.outer(np.cos(angle), r), np.outer(np.sin(angle), r)


def _centre_lines(half_x: float, half_y: float) -> tuple[Line, Line]:
    across, upright = ((-half_x, 0.0), (half_x, 0.0)), ((0.0, -half_y), (0.0, half_y))
    return Line(across, "#57606a", 1.0, dashed=True), Line(upright, "#57606a", 1.0, dashed=True)

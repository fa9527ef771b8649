"""Unit systems of reports and pictures; all computation is in SI units."""

from __future__ import annotations

from msgspec import Struct


class Units(Struct, frozen=True, kw_only=True):
    """By kind of quantity: the factor from SI, and the sign."""

    scales: dict[str, tuple[float, str]]

    def symbol(self, kind: str) -> str:
        """The unit's sign, empty for a pure number."""
        return self.scales[kind][1] if kind else ""

    def convert(self, value: float, kind: str) -> float:
        """The value in these units."""
        return value * self.scales[kind][0] if kind else value

    def format_value(self, value: float, kind: str) -> str:
        """Value and sign, four significant digits."""
        # a rounding residue must not be reported as a result
        scaled = 0.0 if abs(value) < 1e-12 else self.convert(value, kind)
        return f"{scaled:.4g} {self.symbol(kind)}".rstrip()


_SOLID = {
    "length": ((1e3, "mm"), (1 / 0.0254, "in")),
    "stress": ((1e-6, "MPa"), (1 / 6.894757e6, "ksi")),
    "modulus": ((1e-9, "GPa"), (1 / 6.894757e9, "Msi")),
    "force": ((1e-3, "kN"), (1 / 4448.222, "kip")),
    "moment": ((1e-3, "kN m"), (1 / 112.9848, "kip in")),
    "heat": ((1.0, "K"), (1.8, "degF")),
    "expansion": ((1e6, "1e-6/K"), (1e6 / 1.8, "1e-6/degF")),
}
_FLUID = {
    "viscosity": ((1.0, "Pa s"), (1.0, "Pa s"), (0.671969, "lb/(ft s)")),
    "density": ((1.0, "kg/m3"), (1.0, "kg/m3"), (0.0624280, "lb/ft3")),
    "heat": ((1.0, "K"), (1.0, "K"), (1.8, "degF")),
    "length": ((1.0, "m"), (1e3, "mm"), (1 / 0.0254, "in")),
    "speed": ((1.0, "m/s"), (1e3, "mm/s"), (1 / 0.3048, "ft/s")),
    "gradient": ((1.0, "Pa/m"), (1.0, "Pa/m"), (4.42075e-5, "psi/ft")),
    "flux": ((1.0, "kg/s"), (1e3, "g/s"), (2.204623, "lb/s")),
    "circulation": ((1.0, "m2/s"), (1e6, "mm2/s"), (10.76391, "ft2/s")),
}
_COMMON = {"angle": (57.29578, "deg"), "time": (1.0, "s"), "spin": (1.0, "1/s")}
METRIC, IMPERIAL = (Units(scales={**_COMMON, **{kind: row[k] for kind, row in _SOLID.items()}}) for k in range(2))
FLOW, SMALL_FLOW, IMPERIAL_FLOW = (
    Units(scales={**_COMMON, **{kind: row[k] for kind, row in _FLUID.items()}}) for k in range(3)
)

"""Unit systems of reports and pictures; all computation is in SI units."""

from __future__ import annotations

from msgspec import Struct


class Units(Struct, frozen=True, kw_only=True):
    """By kind of quantity: the factor from SI, and the sign."""

    scales: dict[str, tuple[float, str]]

    def sign(self, kind: str) -> str:
        """The unit's sign, empty for a pure number."""
        return self.scales[kind][1] if kind else ""

    def number(self, value: float, kind: str) -> float:
        """The value in these units."""
        return value * self.scales[kind][0] if kind else value

    def show(self, value: float, kind: str) -> str:
        """Value and sign, four significant digits."""
        # a residue of rounding must not be told as if it were a result
        scaled = 0.0 if abs(value) < 1e-12 else self.number(value, kind)
        return f"{scaled:.4g} {self.sign(kind)}".rstrip()


_COMMON = {"angle": (57.29578, "deg"), "time": (1.0, "s")}
METRIC = Units(
    scales={
        **_COMMON,
        "length": (1e3, "mm"),
        "shift": (1e3, "mm"),
        "stress": (1e-6, "MPa"),
        "modulus": (1e-9, "GPa"),
        "force": (1e-3, "kN"),
        "moment": (1e-3, "kN m"),
        "heat": (1.0, "K"),
        "expansion": (1e6, "1e-6/K"),
    }
)
IMPERIAL = Units(
    scales={
        **_COMMON,
        "length": (1 / 0.0254, "in"),
        "shift": (1 / 0.0254, "in"),
        "stress": (1 / 6.894757e6, "ksi"),
        "modulus": (1 / 6.894757e9, "Msi"),
        "force": (1 / 4448.222, "kip"),
        "moment": (1 / 112.9848, "kip in"),
        "heat": (1.8, "degF"),
        "expansion": (1e6 / 1.8, "1e-6/degF"),
    }
)
_FLUID = {**_COMMON, "viscosity": (1.0, "Pa s"), "density": (1.0, "kg/m3"), "heat": (1.0, "K")}
FLOW = Units(
    scales={
        **_FLUID,
        "length": (1.0, "m"),
        "speed": (1.0, "m/s"),
        "gradient": (1.0, "Pa/m"),
        "flux": (1.0, "kg/s"),
        "spin": (1.0, "1/s"),
        "circulation": (1.0, "m2/s"),
    }
)
SMALL_FLOW = Units(
    scales={
        **_FLUID,
        "length": (1e3, "mm"),
        "speed": (1e3, "mm/s"),
        "gradient": (1.0, "Pa/m"),
        "flux": (1e3, "g/s"),
        "spin": (1.0, "1/s"),
        "circulation": (1e6, "mm2/s"),
    }
)
IMPERIAL_FLOW = Units(
    scales={
        **_COMMON,
        "viscosity": (0.671969, "lb/(ft s)"),
        "density": (0.0624280, "lb/ft3"),
        "heat": (1.8, "degF"),
        "length": (1 / 0.0254, "in"),
        "speed": (1 / 0.3048, "ft/s"),
        "gradient": (4.42075e-5, "psi/ft"),
        "flux": (2.204623, "lb/s"),
        "spin": (1.0, "1/s"),
        "circulation": (10.76391, "ft2/s"),
    }
)

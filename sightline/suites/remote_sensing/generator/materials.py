"""Materials in three sensor modes: true colour, near-infrared false colour, and thermal."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Colour = tuple[int, int, int]
Mode = Literal["colour", "false colour", "thermal"]


class Material(Struct, frozen=True):
    """Visible colour, vegetation share (0-1), heat (0-255), roughness, and ground class."""

    colour: Colour
    plant: float
    heat: int
    rough: int = 60
    ground: str = "pavement"


MATERIALS: dict[str, Material] = {
    "grass": Material((104, 114, 74), 0.8, 78, 110, "grass"),
    "lawn": Material((97, 112, 70), 0.9, 72, 90, "grass"),
    "meadow": Material((126, 128, 86), 0.7, 82, 120, "grass"),
    "forest": Material((48, 64, 38), 1.0, 52, 90, "trees"),
    "crown": Material((62, 86, 44), 1.0, 48, 0, "trees"),
    "wheat": Material((184, 164, 102), 0.35, 108, 60, "cropland"),
    "maize": Material((84, 116, 52), 1.0, 66, 60, "cropland"),
    "rape": Material((178, 172, 66), 0.7, 86, 60, "cropland"),
    "clover": Material((66, 96, 50), 1.0, 60, 55, "cropland"),
    "ploughed": Material((132, 103, 78), 0.05, 126, 85, "cropland"),
    "stubble": Material((166, 146, 108), 0.1, 120, 75, "cropland"),
    "sand": Material((208, 190, 152), 0.0, 150, 60, "bare ground"),
    "desert": Material((190, 162, 122), 0.0, 156, 115, "bare ground"),
    "gravel": Material((152, 144, 130), 0.0, 140, 95, "bare ground"),
    "water": Material((46, 70, 72), 0.0, 40, 75, "water"),
    "sea": Material((32, 66, 86), 0.0, 36, 85, "water"),
    "shallow": Material((72, 126, 128), 0.0, 44, 40, "water"),
    "foam": Material((196, 208, 206), 0.0, 50, 20, "water"),
    "asphalt": Material((98, 97, 96), 0.0, 148, 50, "road"),
    "lot": Material((106, 105, 104), 0.0, 150, 50, "pavement"),
    "track": Material((158, 140, 112), 0.05, 132, 80, "road"),
    "runway": Material((92, 92, 93), 0.0, 152, 45, "runway"),
    "taxiway": Material((118, 117, 114), 0.0, 146, 45, "runway"),
    "concrete": Material((164, 160, 150), 0.0, 138, 75, "pavement"),
    "kerb": Material((150, 147, 140), 0.0, 136, 40, "pavement"),
    "marking": Material((222, 222, 216), 0.0, 156, 0),
    "yellow line": Material((206, 172, 70), 0.0, 156, 0),
    "pool": Material((72, 172, 196), 0.0, 84, 0),
    "pitch": Material((84, 126, 58), 0.9, 74, 0),
    "glass": Material((44, 54, 64), 0.0, 120, 0),
    "hot": Material((74, 74, 78), 0.0, 250, 0),
    "deck": Material((150, 104, 84), 0.0, 128, 0),
    "container red": Material((150, 66, 54), 0.0, 168),
    "container blue": Material((62, 96, 140), 0.0, 168),
    "container green": Material((74, 118, 88), 0.0, 168),
    "container grey": Material((158, 160, 160), 0.0, 168),
    "steel": Material((138, 142, 146), 0.0, 150, 0),
}
PAINTS: dict[str, Material] = {
    "white": Material((230, 231, 229), 0.0, 176),
    "black": Material((38, 39, 43), 0.0, 214),
    "silver": Material((182, 186, 190), 0.0, 186),
    "grey": Material((132, 134, 136), 0.0, 190),
    "dark grey": Material((84, 86, 92), 0.0, 204),
    "red": Material((168, 52, 44), 0.0, 196),
    "blue": Material((52, 92, 152), 0.0, 192),
    "yellow": Material((222, 182, 52), 0.0, 188),
    "green": Material((58, 112, 76), 0.0, 194),
    "brown": Material((126, 90, 68), 0.0, 200),
    "turquoise": Material((72, 172, 196), 0.0, 84),
    "orange": Material((206, 112, 44), 0.0, 194),
}
ROOF_RED = Material((152, 84, 66), 0.0, 200)
_AUTUMN: Colour = (150, 122, 70)


class Palette(Struct, frozen=True, kw_only=True):
    """Colours of materials for a sensor mode and season."""

    mode: Mode = "colour"
    autumn: float = 0.0

    def material(self, name: str, shade: float = 1.0) -> Colour:
        """Colour of a named material with shading."""
        return self.tone(MATERIALS[name], shade)

    def paint(self, name: str, shade: float = 1.0) -> Colour:
        """Colour of a named paint with shading."""
        return self.tone(PAINTS[name], shade)

    def tone(self, material: Material, shade: float = 1.0) -> Colour:
        """Colour of a material with shading."""
        red, green, blue = self._seasoned(material)
        if self.mode == "thermal":
            # warmth does not depend on light: shading is weak
            heat = material.heat * (0.75 + 0.25 * shade)
            red = green = blue = heat
        else:
            if self.mode == "false colour":
                near = red + (215 - red) * 0.85 * material.plant
                red, green, blue = near, red * 0.92, green * 0.86
            red, green, blue = red * shade, green * shade, blue * shade
        return _byte(red), _byte(green), _byte(blue)

    def _seasoned(self, material: Material) -> tuple[float, float, float]:
        share = self.autumn * material.plant
        red, green, blue = (
            (1 - share) * fresh + share * dry for fresh, dry in zip(material.colour, _AUTUMN, strict=True)
        )
        return red, green, blue


def _byte(value: float) -> int:
    return max(0, min(255, round(value)))

"""SVG renderer of a display list."""

from __future__ import annotations

from xml.sax.saxutils import escape

from sightline.core.fonts import width_of
from sightline.suites.structural.drawing.canvas import Arc, Disc, Drawing, Path, Pen, Shape, Text
from sightline.suites.structural.drawing.vectors import XY, offset_point

_FAMILY = "Aileron, Helvetica, Arial, 'Noto Sans SC', sans-serif"


def to_svg(drawing: Drawing) -> str:
    """The file's text. Texts come last, as they lie above all in the pixels too."""
    size = f'width="{drawing.width}" height="{drawing.height}"'
    shapes = [_shape(shape) for shape in drawing.shapes]
    words = [_words(text) for text in drawing.texts]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {drawing.width} {drawing.height}">',
        f'<rect {size} fill="{drawing.paper}"/>',
        '<g fill="none" stroke-linecap="round" stroke-linejoin="round">',
        *filter(None, shapes),
        "</g>",
        f'<g font-family="{_FAMILY}">',
        *words,
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _shape(shape: Shape) -> str:
    match shape:
        case Path():
            return _path(shape)
        case Arc():
            return _arc(shape)
        case Disc(centre=(x, y)):
            paint = _paint(shape.fill, shape.pen)
            return f'<circle cx="{_short(x)}" cy="{_short(y)}" r="{_short(shape.radius)}"{paint}/>'
        case Text(patch=patch):
            return f'<polygon points="{_listed(shape.ground)}" fill="{patch}"/>' if patch else ""


def _path(path: Path) -> str:
    name = "polygon" if path.closed else "polyline"
    return f'<{name} points="{_listed(path.points)}"{_paint(path.fill, path.pen)}/>'


def _arc(arc: Arc) -> str:
    start, end = (offset_point(arc.centre, angle, arc.radius) for angle in (arc.start, arc.start + arc.sweep))
    large, clockwise = int(abs(arc.sweep) > 180), int(arc.sweep < 0)
    radius = _short(arc.radius)
    course = f"M{_point(start)} A{radius} {radius} 0 {large} {clockwise} {_point(end)}"
    return f'<path d="{course}"{_paint("", arc.pen)}/>'


def _words(text: Text) -> str:
    x, y = text.at[0] + text.left, text.at[1] + text.baseline
    turn = ""
    if text.angle % 360.0:
        turn = f' transform="rotate({_short(-text.angle)} {_short(text.at[0])} {_short(text.at[1])})"'
    # textLength, so that another typeface fills the same width
    length = _short(width_of(text.words, text.size))
    return (
        f'<text x="{_short(x)}" y="{_short(y)}" font-size="{text.size}" fill="{text.colour}" textLength="{length}"'
        f' lengthAdjust="spacingAndGlyphs"{turn}>{escape(text.words)}</text>'
    )


def _paint(fill: str, pen: Pen | None) -> str:
    parts = [f' fill="{fill}"'] if fill else []
    if pen:
        parts.append(f' stroke="{pen.colour}" stroke-width="{_short(pen.width)}"')
        if pen.dash:
            parts.append(f' stroke-dasharray="{_short(pen.dash)}" stroke-linecap="butt"')
    return "".join(parts)


def _listed(points: tuple[XY, ...]) -> str:
    return " ".join(map(_point, points))


def _point(point: XY) -> str:
    return f"{_short(point[0])},{_short(point[1])}"


def _short(number: float) -> str:
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text

"""Glyphs can be told apart, stand on the right side, and point the right way."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from sightline.suites.structural.drawing import symbols
from sightline.suites.structural.drawing.canvas import Arc, Canvas, Disc, Path, Pen, Text
from sightline.suites.structural.drawing.labels import OccupancyMask, candidates_beside, place_label
from sightline.suites.structural.drawing.symbols import (
    GUIDES,
    ROLLERS,
    SHAPES,
    DimensionStyle,
    LoadStyle,
    SupportStyle,
    draw_chain,
    draw_comb,
    draw_force,
    draw_hinge,
    draw_moment,
)
from sightline.suites.structural.drawing.vectors import Box, angle_of, distance

Glyph = Callable[[Canvas, tuple[float, float], float, SupportStyle], tuple[tuple[float, float], ...]]
GLYPHS: list[tuple[Glyph, SupportStyle]] = [
    *((symbols.draw_pin, SupportStyle(pin=shape)) for shape in SHAPES),
    *((symbols.draw_roller, SupportStyle(roller=shape)) for shape in ROLLERS),
    *((symbols.draw_slider, SupportStyle(guide=shape)) for shape in GUIDES),
    (symbols.draw_fixed, SupportStyle()),
]


def heads(canvas: Canvas) -> list[Path]:
    return [shape for shape in canvas.shapes if isinstance(shape, Path) and shape.closed]


class TestSupports:
    @pytest.mark.parametrize(("glyph", "look"), GLYPHS)
    @pytest.mark.parametrize(("angle", "side"), [(0, "bottom"), (90, "right"), (180, "top"), (270, "left")])
    def test_ground_is_on_its_side(self, glyph: Glyph, look: SupportStyle, angle: float, side: str) -> None:
        canvas = Canvas()
        glyph(canvas, (100, 100), angle, look)
        reach = {
            "bottom": canvas.box.bottom - 100,
            "right": canvas.box.right - 100,
            "top": 100 - canvas.box.top,
            "left": 100 - canvas.box.left,
        }
        opposite = {"bottom": "top", "top": "bottom", "left": "right", "right": "left"}[side]
        assert reach[side] > 7
        assert reach[opposite] < 7

    @pytest.mark.parametrize(("glyph", "look"), GLYPHS)
    def test_outline_holds_the_ground(self, glyph: Glyph, look: SupportStyle) -> None:
        canvas = Canvas()
        outline = Box.bounding(glyph(canvas, (0, 0), 0, look), 4)
        assert outline.left <= canvas.box.left and outline.right >= canvas.box.right
        assert outline.bottom >= canvas.box.bottom

    def test_all_are_different(self) -> None:
        seen = set()
        for glyph, look in GLYPHS:
            canvas = Canvas()
            glyph(canvas, (0, 0), 0, look)
            seen.add(repr(canvas.shapes))
        assert len(seen) == len(GLYPHS)

    def test_turning_turns_everything(self) -> None:
        level, turned = Canvas(), Canvas()
        symbols.draw_roller(level, (0, 0), 0, SupportStyle(roller="wheels"))
        symbols.draw_roller(turned, (0, 0), 30, SupportStyle(roller="wheels"))
        for one, other in zip(level.shapes, turned.shapes, strict=True):
            if isinstance(one, Disc) and isinstance(other, Disc):
                assert distance((0, 0), one.centre) == pytest.approx(distance((0, 0), other.centre))
                gap = (angle_of((0, 0), other.centre) - angle_of((0, 0), one.centre)) % 360
                assert gap == pytest.approx(30)

    def test_hinge_hides_the_member(self) -> None:
        canvas = Canvas()
        draw_hinge(canvas, (5, 5), 7, Pen(2.0), "#fafafa")
        assert canvas.shapes == [Disc((5, 5), 7, Pen(2.0), "#fafafa")]


class TestLoads:
    @pytest.mark.parametrize("angle", [0, 45, 90, 210, 270])
    def test_force_ends_at_its_tip(self, angle: float) -> None:
        canvas = Canvas()
        tail = draw_force(canvas, (50, 50), angle, 40, LoadStyle())
        assert distance(tail, (50, 50)) == pytest.approx(40)
        assert angle_of(tail, (50, 50)) == pytest.approx(angle)
        assert heads(canvas)[0].points[0] == (50, 50)

    def test_uniform_comb_ends_on_its_base(self) -> None:
        canvas = Canvas()
        draw_comb(canvas, ((0, 100), (240, 100)), 270, (40, 40), LoadStyle(spacing=24))
        tips = [head.points[0] for head in heads(canvas)]
        assert len(tips) == 11
        assert all(y == pytest.approx(100) for _, y in tips)
        assert [x for x, _ in tips] == pytest.approx([24 * k for k in range(11)])
        assert canvas.box.top == pytest.approx(60, abs=1)

    def test_triangular_comb_has_no_arrow_at_its_point(self) -> None:
        canvas = Canvas()
        draw_comb(canvas, ((0, 100), (240, 100)), 270, (0, 40), LoadStyle(spacing=24))
        tips = [head.points[0][0] for head in heads(canvas)]
        assert min(tips) > 48 and max(tips) == pytest.approx(240)

    def test_comb_that_changes_sign_has_arrows_from_both_sides(self) -> None:
        canvas = Canvas()
        draw_comb(canvas, ((0, 100), (240, 100)), 270, (-40, 40), LoadStyle(spacing=24))
        below = [head for head in heads(canvas) if head.box.bottom > 101]
        above = [head for head in heads(canvas) if head.box.top < 99]
        assert below and above

    @pytest.mark.parametrize("sweep", [230.0, -230.0])
    def test_moment_turns_its_way(self, sweep: float) -> None:
        canvas = Canvas()
        draw_moment(canvas, (0, 0), 27, 40, sweep, LoadStyle())
        (head,) = heads(canvas)
        tip, *back = head.points
        base = ((back[0][0] + back[1][0]) / 2, (back[0][1] + back[1][1]) / 2)
        turn = (angle_of((0, 0), tip) - angle_of((0, 0), base) + 180) % 360 - 180
        assert math.copysign(1, turn) == math.copysign(1, sweep)
        assert distance((0, 0), tip) == pytest.approx(27)
        assert distance((0, 0), base) == pytest.approx(27, abs=1.5)
        assert isinstance(canvas.shapes[0], Arc)


class TestDimensions:
    @pytest.mark.parametrize("tick", ["slash", "arrow", "dot", "bar"])
    def test_chain_marks_every_point(self, tick: str) -> None:
        canvas = Canvas()
        points = [(0.0, 50.0), (80.0, 50.0), (200.0, 50.0)]
        draw_chain(canvas, points, DimensionStyle(tick=tick, size=7))
        ends = [shape.points for shape in canvas.shapes if isinstance(shape, Path) and not shape.closed]
        assert ((0.0, 50.0), (200.0, 50.0)) in ends
        for x, y in points:
            assert any(pair == ((x, y + 7), (x, y - 7)) for pair in ends)
        if tick == "arrow":
            tips = {head.points[0] for head in heads(canvas)}
            assert tips == set(points)


class TestLabels:
    def test_text_goes_where_nothing_is(self) -> None:
        sheet = OccupancyMask(Box(0, 0, 400, 300))
        sheet.mark((Path(((0, 150), (400, 150)), Pen(4.0)),))
        options = [Text((200, y), "20 kN", 20) for y in (150, 158, 180)]
        assert place_label(sheet, options) == options[2]
        assert place_label(sheet, options) is None

    def test_texts_never_share_a_place(self) -> None:
        sheet = OccupancyMask(Box(0, 0, 400, 400))
        text = Text((0, 0), "7.5 kN/m", 20)
        around = [
            option for angle in range(0, 360, 15) for option in candidates_beside(text, (200, 200), angle, (6, 30, 60))
        ]
        found = [one.box for one in (place_label(sheet, around) for _ in range(12)) if one]
        assert len(found) > 6
        assert not any(a.overlaps(b) for k, a in enumerate(found) for b in found[k + 1 :])

    @pytest.mark.parametrize("angle", range(0, 360, 30))
    def test_clearance_is_kept_all_around(self, angle: float) -> None:
        (text,) = candidates_beside(Text((0, 0), "20 kN", 20), (100, 100), angle, (10,))
        box = text.box
        gap = max(box.left - 100, 100 - box.right, box.top - 100, 100 - box.bottom)
        assert 4.9 < gap < 11

    def test_reach_stops_at_ink(self) -> None:
        sheet = OccupancyMask(Box(0, 0, 300, 300))
        sheet.mark((Path(((150, 0), (150, 300)), Pen(2.0)),))
        assert sheet.reach((20, 100), (280, 100), 4) == pytest.approx(128, abs=6)
        assert sheet.reach((280, 100), (20, 100), 4) == pytest.approx(128, abs=6)
        assert sheet.reach((20, 20), (140, 100), 4) == pytest.approx(distance((20, 20), (140, 100)))
        assert sheet.reach((20, 20), (280, 100), 4) == pytest.approx(136, abs=8)
        assert sheet.is_clear((20, 100), (130, 100), 4) and not sheet.is_clear((20, 100), (280, 100), 4)

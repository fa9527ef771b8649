"""One display list, two renderers: both show the same, and nothing is lost on the way."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from sightline.core import fonts
from sightline.suites.structural.drawing.canvas import Arc, Canvas, Disc, Drawing, Path, Pen, Text, dash_segments
from sightline.suites.structural.drawing.png import Scan, to_image, to_png
from sightline.suites.structural.drawing.svg import to_svg
from sightline.suites.structural.drawing.vectors import Axes, Box, angle_gap, angle_of, offset_point

SVG = "{http://www.w3.org/2000/svg}"


def sheet(*shapes: Path | Disc | Arc | Text, paper: str = "#ffffff") -> Drawing:
    return Drawing(width=200, height=120, shapes=shapes, paper=paper)


def dark(drawing: Drawing, scan: Scan | None = None) -> np.ndarray:
    return np.asarray(to_image(drawing, scan).convert("L")).astype(int) < 128


def extent(mask: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what is set."""
    ys, xs = np.nonzero(mask)
    return xs.min(), ys.min(), xs.max() + 1, ys.max() + 1


class TestVectors:
    @pytest.mark.parametrize(("angle", "to"), [(0, (15, 20)), (90, (10, 15)), (180, (5, 20)), (270, (10, 25))])
    def test_angles_run_counter_clockwise_as_one_looks_at_it(self, angle: float, to: tuple[float, float]) -> None:
        assert offset_point((10, 20), angle, 5) == pytest.approx(to)
        assert angle_of((10, 20), to) == pytest.approx(angle)

    def test_local_y_is_left_of_local_x(self) -> None:
        assert Axes((0, 0), 90).to_sheet(0, 1) == pytest.approx((-1, 0))

    def test_angle_gap_is_symmetric_and_wraps(self) -> None:
        assert angle_gap(350, 10) == angle_gap(10, 350) == pytest.approx(20)

    def test_boxes_that_only_touch_do_not_overlap(self) -> None:
        assert not Box(0, 0, 10, 10).overlaps(Box(10, 0, 20, 10))
        assert Box(0, 0, 10, 10).overlaps(Box(9, 9, 20, 20))


class TestPixels:
    def test_line_lies_where_it_was_drawn(self) -> None:
        left, top, right, bottom = extent(dark(sheet(Path(((20, 60), (180, 60)), Pen(4.0)))))
        assert (left, right) == (pytest.approx(18, abs=1), pytest.approx(182, abs=1))
        assert (top, bottom) == (pytest.approx(58, abs=1), pytest.approx(62, abs=1))

    def test_circle_is_open_unless_filled(self) -> None:
        hollow = dark(sheet(Disc((100, 60), 20, Pen(2.0))))
        assert not hollow[60, 100] and hollow[60, 80] and hollow[40, 100]
        assert dark(sheet(Disc((100, 60), 20, Pen(2.0), "#000000")))[60, 100]

    def test_arc_covers_its_sweep_alone(self) -> None:
        mask = dark(sheet(Arc((100, 60), 40, 0, 90, Pen(3.0))))
        left, top, right, bottom = extent(mask)
        assert left >= 97 and bottom <= 63 and right <= 143 and top >= 17
        assert mask[60 - 28, 100 + 28]

    def test_text_fills_its_box_and_no_more(self) -> None:
        text = Text((100, 60), "12.5 kN", 20)
        found = extent(dark(sheet(text)))
        box = text.box
        assert box.left - 2 <= found[0] and found[2] <= box.right + 2
        assert box.top - 2 <= found[1] and found[3] <= box.bottom + 2
        assert found[2] - found[0] > 0.8 * box.width

    def test_turned_text_stands_upright(self) -> None:
        text = Text((100, 60), "3.5 m", 20, angle=90)
        left, top, right, bottom = extent(dark(sheet(text)))
        assert bottom - top > 2 * (right - left)
        box = text.box.expanded(2)
        assert box.left <= left and right <= box.right and box.top <= top and bottom <= box.bottom

    def test_patch_hides_what_lies_beneath(self) -> None:
        line = Path(((0, 60), (200, 60)), Pen(3.0))
        assert dark(sheet(line))[60, 88:112].all()
        assert not dark(sheet(line, Text((100, 60), ".", 20, patch="#ffffff")))[60, 98:102].any()

    def test_grey_drawings_are_grey_files(self) -> None:
        grey = sheet(Path(((0, 0), (9, 9)), Pen(1.0, "#444444")))
        red = sheet(Path(((0, 0), (9, 9)), Pen(1.0, "#aa0000")))
        assert [Image.open(BytesIO(to_png(one))).mode for one in (grey, red)] == ["L", "RGB"]

    def test_scan_tilts_and_specks_by_its_seed(self) -> None:
        drawing = sheet(Path(((10, 60), (190, 60)), Pen(3.0)), paper="#f4f4f4")
        assert to_png(drawing, Scan(specks=50, seed=1)) == to_png(drawing, Scan(specks=50, seed=1))
        assert to_png(drawing, Scan(specks=50, seed=1)) != to_png(drawing, Scan(specks=50, seed=2))
        tilted = dark(drawing, Scan(tilt=2.0))
        assert np.nonzero(tilted[:, 20])[0].mean() > np.nonzero(tilted[:, 180])[0].mean() + 4

    def test_dashes_cover_half(self) -> None:
        found = list(dash_segments(((0, 0), (100, 0)), 5))
        assert sum(end[0] - start[0] for start, end in found) == pytest.approx(50)


class TestVectorFile:
    def test_is_well_formed_and_says_the_same(self) -> None:
        canvas = Canvas()
        canvas.arrow(((20, 20), (80, 80)), Pen(2.0))
        canvas.hatch((20, 90), (90, 90), 6, Pen(1.0))
        canvas.arc((100, 50), 20, 30, 250, Pen(1.0, dash=4))
        canvas.text(Text((60, 50), "a < b & c", 18, angle=30, patch="#ffffff"))
        drawing, _ = canvas.finish(10)
        root = ET.fromstring(to_svg(drawing))
        assert (
            [node.text for node in root.iter(f"{SVG}text")] == [text.words for text in drawing.texts] == ["a < b & c"]
        )
        assert (root.get("width"), root.get("height")) == (str(drawing.width), str(drawing.height))
        assert len(list(root.iter(f"{SVG}path"))) == 1
        assert len(list(root.iter(f"{SVG}polyline"))) == 1 + 9

    def test_arc_ends_where_the_pixels_end(self) -> None:
        arc = Arc((100, 60), 40, 10, -200, Pen(1.0))
        course = next(ET.fromstring(to_svg(sheet(arc))).iter(f"{SVG}path")).get("d", "")
        *_, large, clockwise, end = course.split()
        assert (large, clockwise) == ("1", "1")
        assert tuple(map(float, end.split(","))) == pytest.approx(arc.points[-1], abs=0.01)


class TestCanvas:
    def test_finished_cuts_to_the_ink(self) -> None:
        canvas = Canvas()
        canvas.line(((-50, 300), (70, 340)), Pen(2.0))
        drawing, shift = canvas.finish(20)
        assert shift == (71, -279)
        assert (drawing.width, drawing.height) == (162, 82)
        assert drawing.shapes[0].box == Box(20, 20, 142, 62)

    def test_hatch_lies_on_the_right(self) -> None:
        canvas = Canvas()
        canvas.hatch((0, 50), (100, 50), 8, Pen(1.0))
        assert min(shape.box.top for shape in canvas.shapes) >= 49
        assert max(shape.box.bottom for shape in canvas.shapes) == pytest.approx(58.5)

    def test_arrow_head_points_along_it(self) -> None:
        canvas = Canvas()
        canvas.arrow(((10, 50), (90, 50)), Pen(2.0), head=12)
        shaft, head = canvas.shapes
        assert isinstance(head, Path) and head.points[0] == (90, 50)
        assert shaft.box.right < 90 and head.box.left == pytest.approx(78)


class TestFonts:
    def test_no_empty_boxes_without_a_chinese_typeface(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fonts, "chinese_typeface", lambda: None)
        assert not fonts.can_write("长度 5 m")
        canvas = Canvas()
        assert canvas.text(Text((0, 0), "长度5 m")).words == "5 m"

    def test_signs_that_are_written_have_shapes(self) -> None:
        absent = bytes(fonts.font_for("x", 20).getmask("\ufffe"))
        for sign in "·°/=.0123456789kNm":
            assert bytes(fonts.font_for(sign, 20).getmask(sign)) != absent, sign

"""Plots for a paper: right files, nothing cut off, Chinese that is Chinese, names that can't do harm."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from sightline.core.errors import ConfigError
from sightline.core.fonts import FONT_VARIABLE, chinese_typeface
from sightline.i18n import set_language
from sightline.reports.plots.data import Panel, PlotData, Point, VisConfig, read_vis_config
from sightline.reports.plots.draw import draw_all
from sightline.reports.plots.labels import ems, file_name, fit_label, one_line, wrap

HOSTILE = [
    "$\\frac{a}{$",
    "a\nb\x00\x1b[31m",
    "../../etc/passwd",
    "_hidden",
    "{braces} %s %(x)s",
    "\ud800",
    "😀🧿𠀀",
    ".",
    "",
    "x" * 300,
]
TASKS = ["图片检索", "VQA1", "水平区域检测", "brief caption"]


def point(task: str = "VQA1", value: float | None = 0.5, **other: object) -> Point:
    usual: dict[str, object] = {"model": "M", "metric": "accuracy", "title": "Accuracy", "unit": "share"}
    flags = {"core": True, "headline": True, "higher_is_better": True}
    return Point(task=task, value=value, **(usual | flags | other))  # type: ignore[arg-type]


def data(*points: Point, panels: tuple[Panel, ...] = (), title: str = "Set") -> PlotData:
    return PlotData(title=title, points=points, panels=panels)


def panel(name: str, head: tuple[str, ...], *rows: tuple[str | float | int | None, ...]) -> Panel:
    return Panel(model="M", task="检测", name=name, head=head, rows=rows)


def names(files: list[Path]) -> set[str]:
    return {file.stem for file in files}


def only(*plots: str, formats: tuple[str, ...] = ("png",)) -> VisConfig:
    return VisConfig(plots=plots, formats=formats)


PANELS = (
    panel("by_size", ("size", "n", "recall", "precision"), ("small", 7, 0.2, 0.5), ("large", 2, 1.0, None)),
    panel("by_count", ("objects", "n", "recall", "recall_low", "recall_high"), ("1", 7, 0.2, 0.1, 0.4)),
    panel("per_class", ("class", "n", "f1"), *((f"c{i}", i, i / 60) for i in range(60))),
    panel("confusion", ("truth", "car", "ship"), ("car", 9, 1), ("ship", 0, 4)),
    panel("pr_curve", ("threshold", "recall", "precision"), ("0.5", 0.0, 1.0), ("0.5", 0.6, 0.4)),
)


NEWER = (
    panel("rungs", ("rung", "All samples", "All samples_low", "All samples_high"), ("Geometry right", 0.9, 0.8, 1.0)),
    panel("pairs", ("", "n", "Opposed pairs", "Opposed pairs in the key"), ("All samples", 12, 0.5, 0.75)),
    panel("calibration", ("truth", "predicted", "n"), (3, 3, 7), (3, 5, 2), (40, 0, 1)),
)


class TestFiles:
    def test_ladder_pairs_and_calibration(self, tmp_path: Path) -> None:
        files = draw_all(data(panels=NEWER), tmp_path, only("rungs", "pairs", "calibration", formats=("png", "pdf")))
        assert names(files) == {f"{kind}_检测_M" for kind in ("rungs", "pairs", "calibration")} and len(files) == 6
        for file in files:
            if file.suffix == ".png":
                with Image.open(file) as picture:
                    assert picture.width >= 1920 and picture.height >= 1080
                    _nothing_is_cut_off(picture)

    @pytest.mark.slow
    def test_every_kind_that_has_data(self, tmp_path: Path) -> None:
        points = [point(task, 0.3, low=0.2, high=0.4) for task in TASKS]
        points += [point(TASKS[3], 0.8, metric="cider", title="CIDEr", unit="number", headline=False)]
        files = draw_all(data(*points, panels=PANELS), tmp_path / "plots", VisConfig())
        kinds = ["by_size", "by_count", "per_class", "confusion", "pr_curve"]
        assert names(files) == {
            *("bars", "bars_accuracy", "bars_cider", "radar", "heatmap_M"),
            *(f"{kind}_检测_M" for kind in kinds),
        }
        assert len(files) == 20 and set(files) == set((tmp_path / "plots").iterdir())
        for file in files:
            if file.suffix == ".png":
                with Image.open(file) as picture:
                    assert picture.width >= 1920 and picture.height >= 1080
                    _nothing_is_cut_off(picture)

    def test_nothing_from_nothing(self, tmp_path: Path) -> None:
        assert draw_all(data(), tmp_path, VisConfig()) == []
        assert draw_all(data(point(value=None), point("B", float("nan"))), tmp_path, VisConfig()) == []
        empty = tuple(panel(p.name, p.head) for p in PANELS)
        assert draw_all(data(panels=empty), tmp_path, VisConfig()) == []

    def test_only_the_asked_kinds_and_formats(self, tmp_path: Path) -> None:
        files = draw_all(data(point(), panels=PANELS), tmp_path, only("pr_curve", formats=("pdf",)))
        assert [file.name for file in files] == ["pr_curve_检测_M.pdf"]

    @pytest.mark.slow
    def test_the_same_bytes_every_time(self, tmp_path: Path) -> None:
        vis = only("bars", formats=("png", "pdf"))
        twice = [draw_all(data(point("图片检索")), tmp_path / name, vis) for name in ("a", "b")]
        assert [file.read_bytes() for file in twice[0]] == [file.read_bytes() for file in twice[1]]

    def test_more_pixels_where_asked(self, tmp_path: Path) -> None:
        vis = msgspec.structs.replace(only("radar"), dpi=200)
        (file,) = draw_all(data(*(point(task) for task in TASKS)), tmp_path, vis)
        with Image.open(file) as picture:
            assert picture.width >= 2560

    def test_settings_of_matplotlib_are_left_alone(self, tmp_path: Path) -> None:
        import matplotlib
        from matplotlib import font_manager

        before, fonts = dict(matplotlib.rcParams), len(font_manager.fontManager.ttflist)
        draw_all(data(point("图片检索")), tmp_path, only("bars"))
        assert dict(matplotlib.rcParams) == before and len(font_manager.fontManager.ttflist) == fonts

    def test_many_tasks_go_on_further_pages(self, tmp_path: Path) -> None:
        points = [point(f"task {i}") for i in range(25)]
        assert names(draw_all(data(*points), tmp_path, only("bars", formats=("pdf",)))) == {
            *("bars", "bars_2", "bars_accuracy", "bars_accuracy_2")
        }


def _nothing_is_cut_off(picture: Image.Image) -> None:
    """There is ink, and a white edge all around it."""
    grey = picture.convert("L")
    box = ImageChops.invert(grey).getbbox()
    assert box is not None
    assert box[0] > 2 and box[1] > 2 and box[2] < picture.width - 2 and box[3] < picture.height - 2


class TestChinese:
    def test_typeface_comes_with_the_package(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        chinese_typeface.cache_clear()
        monkeypatch.delenv(FONT_VARIABLE, raising=False)
        place = chinese_typeface()
        assert place is not None and place.name == "NotoSansSC-Regular.ttf" and "zhplot" in place.parts
        named = tmp_path / "own.ttf"
        named.write_bytes(b"")
        monkeypatch.setenv(FONT_VARIABLE, str(named))
        chinese_typeface.cache_clear()
        assert chinese_typeface() == named
        chinese_typeface.cache_clear()

    def test_looking_for_it_imports_nothing(self) -> None:
        """Nor does drawing ever need the global state of pyplot."""
        code = "import sys; from sightline.core import fonts; fonts.chinese_typeface(); import sightline.reports.plots"
        told = subprocess.run(
            [sys.executable, "-c", f"{code}; print(*sys.modules)"], capture_output=True, text=True, check=True
        )
        assert not {"zhplot", "matplotlib"} & set(told.stdout.split())
        code = "import sys, sightline.reports.plots.draw; print(*sys.modules)"
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert not {"zhplot", "matplotlib.pyplot"} & set(told.stdout.split())

    def test_characters_are_no_boxes(self, tmp_path: Path) -> None:
        """Names of one width differ in ink: as boxes they would be alike. A missing glyph would warn, and so fail."""
        pictures = []
        for task in ("图片检索", "变化检测", "像素分类"):
            (file,) = draw_all(data(point(task), title="遥感"), tmp_path / task, only("heatmap"))
            pictures.append(Image.open(file).convert("L"))
        assert len({picture.size for picture in pictures}) == 1
        for one, other in combinations(pictures, 2):
            assert sum(ImageChops.difference(one, other).histogram()[64:]) > 200

    @pytest.mark.slow
    def test_whole_plots_in_chinese(self, tmp_path: Path) -> None:
        set_language("zh")
        try:
            vis = only("bars", "radar", "by_size", "confusion")
            files = draw_all(data(*(point(task) for task in TASKS), panels=PANELS), tmp_path, vis)
        finally:
            set_language("")
        assert len(files) == 5

    @pytest.mark.slow
    def test_pdf_embeds_what_it_shows(self, tmp_path: Path) -> None:
        (file,) = draw_all(data(point("图片检索")), tmp_path, only("heatmap", formats=("pdf",)))
        whole = file.read_bytes()
        assert b"NotoSansSC" in whole and b"DejaVuSans" in whole
        assert whole.count(b"/FontFile2") >= 2 and b"/Type3" not in whole
        assert len(whole) < 100_000
        assert any("图" in text or "56fe" in text.lower() for text in _streams(whole))


def _streams(pdf: bytes) -> list[str]:
    found = []
    for body in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            found.append(zlib.decompress(body).decode("latin-1"))
        except zlib.error:
            continue
    return found


class TestHostileNames:
    @pytest.mark.slow
    def test_all_are_drawn(self, tmp_path: Path) -> None:
        points = [point(name, 0.5, model=model, title=name) for name in HOSTILE for model in HOSTILE[:2]]
        rows = tuple((name, *range(len(HOSTILE))) for name in HOSTILE)
        panels = tuple(
            Panel(model=name, task=name, name="confusion", head=("truth", *HOSTILE), rows=rows) for name in HOSTILE[:1]
        )
        vis = only("bars", "heatmap", "radar", "confusion", formats=("png", "pdf"))
        files = draw_all(data(*points, panels=panels, title=HOSTILE[0]), tmp_path / "in", vis)
        assert files and all(file.is_file() and file.parent == tmp_path / "in" for file in files)
        assert [path.name for path in tmp_path.iterdir()] == ["in"]

    @given(st.lists(st.text(st.characters(), max_size=120), min_size=1, max_size=5))
    def test_file_names(self, texts: list[str]) -> None:
        taken: set[str] = set()
        made = [file_name(f"bars_{text}", taken) for text in texts]
        assert len({name.casefold() for name in made}) == len(texts)
        for name in made:
            assert 0 < len(name) <= 80 and len(name.encode()) <= 240
            assert not name.startswith(".") and ".." not in name
            assert not re.search(r'[\x00-\x1f/\\:*?"<>|$]', name)

    def test_file_names_keep_chinese(self) -> None:
        taken: set[str] = set()
        assert file_name("by_size_水平区域检测_Qwen2.5-VL/7B", taken) == "by_size_水平区域检测_Qwen2.5-VL_7B"
        assert file_name("A", taken) == "A" and file_name("a", taken) == "a_2" and file_name("../..", taken) == "plot"

    @given(st.text(max_size=200), st.floats(2, 40), st.integers(1, 4))
    def test_wrapping(self, text: str, width: float, lines: int) -> None:
        rows = wrap(text, width, lines).split("\n")
        assert len(rows) <= lines and all(ems(row) <= width + 1 for row in rows)
        if not rows[-1].endswith("…"):
            assert "".join(rows).replace(" ", "") == one_line(text).replace(" ", "")

    def test_labels_of_two_parts(self) -> None:
        assert fit_label("VQA1\nAccuracy", 20) == "VQA1 · Accuracy"
        assert fit_label("VQA1\nAccuracy", 6) == "VQA1\nAccuracy"
        assert wrap("Count mean absolute error ↓", 15) == "Count mean\nabsolute error ↓"


class TestWhatIsDrawn:
    """Beneath the pictures: the figures on the page are those of the data."""

    @staticmethod
    def words(kind: str, drawn: PlotData, vis: VisConfig | None = None) -> list[str]:
        from matplotlib.text import Text

        from sightline.reports.plots.draw import PLOTTERS
        from sightline.reports.plots.style import plot_style

        vis = vis or VisConfig()
        with plot_style(vis, drawn.texts()):
            figures = [plot.figure for plot in PLOTTERS[kind](drawn, vis)]
            return [text.get_text() for figure in figures for text in figure.findobj(Text) if text.get_text()]  # type: ignore[attr-defined]

    def test_bars_say_their_figures(self) -> None:
        words = self.words("bars", data(point(value=0.52916), point(value=None, model="N"), point("B", 0.0)))
        assert {"52.92", "0.00", "no data", "M", "N"} <= set(words)

    def test_radar_states_its_maximum(self) -> None:
        numbers = [
            point("caption", 0.4, metric="cider", title="CIDEr", unit="number"),
            point("count", 3.0, metric="mae", title="MAE", unit="number", higher_is_better=False),
        ]
        drawn = data(*(point(task) for task in TASKS), *numbers)
        words = "\n".join(self.words("radar", drawn, VisConfig(radar_maximum={"cider": 2.0})))
        assert "CIDEr: 0.40 / 2.00" in words and "Not shown (not a share): count (MAE ↓)" in words
        assert not self.words("radar", data(point("A"), point("B")))

    def test_radar_points_outwards_for_the_better(self) -> None:
        from sightline.reports.plots.prepare import radar_height

        vis = VisConfig(radar_maximum={"cider": 2.0})
        assert radar_height(point(value=0.3), vis) == 0.3
        assert radar_height(point(value=0.3, higher_is_better=False), vis) == 0.7
        assert radar_height(point(value=0.5, metric="cider", unit="number"), vis) == 0.25
        assert radar_height(point(value=9.0, metric="cider", unit="number"), vis) == 1.0

    @given(st.integers(3, 60), st.integers(1, 4), st.floats(0.3, 2.5))
    @settings(max_examples=40, deadline=None)
    def test_names_around_the_rim_never_touch(self, count: int, lines: int, wide: float) -> None:
        from sightline.reports.plots.labels import label_radius, place_labels

        tall = [0.2 * (1 + i % lines) for i in range(count)]
        places = place_labels(label_radius(tall), [wide] * count, tall)
        assert not any(one.touches(other) for one, other in combinations(places, 2))

    def test_heatmap_marks_and_reverses_lower_is_better(self) -> None:
        from sightline.reports.plots.prepare import metric_cell

        assert metric_cell(point(value=0.1, higher_is_better=False)) == ("10.00", 0.9)
        assert metric_cell(point(value=3.5, unit="number")) == ("3.50", None) and metric_cell(None) == ("", None)
        words = self.words("heatmap", data(point(value=0.1, higher_is_better=False, title="Error")))
        assert "Error ↓" in words

    def test_confusion_of_many_classes(self) -> None:
        classes = [f"c{i}" for i in range(60)]
        rows = [(name, *(100 + i if name == other else 1 for other in classes)) for i, name in enumerate(classes)]
        words = self.words("confusion", data(panels=(panel("confusion", ("truth", *classes), *rows),)))
        shown = {word for word in words if re.fullmatch(r"c\d+ \(n = \d+\)", word)}
        assert shown == {f"c{i} (n = {159 + i})" for i in range(40, 60)}
        assert f"other (n = {sum(159 + i for i in range(40)):,})" in words

    def test_confusion_as_list_is_the_same(self) -> None:
        listed = panel(
            "confusion", ("truth", "predicted", "count"), ("car", "car", 9), ("car", "ship", 1), ("ship", "ship", 4)
        )
        assert self.words("confusion", data(panels=(PANELS[3],))) == self.words("confusion", data(panels=(listed,)))

    def test_classes_beyond_the_page_are_counted(self) -> None:
        words = "\n".join(self.words("per_class", data(panels=(PANELS[2],))))
        assert "36 smaller groups not shown" in words and "c59 (n = 59)" in words and "c35 (" not in words


class TestLabels:
    @pytest.mark.parametrize(("models", "tasks"), [(3, 6), (2, 9)])
    def test_never_run_into_each_other(self, models: int, tasks: int) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from sightline.reports.plots.draw import PLOTTERS
        from sightline.reports.plots.style import plot_style

        words = ["水平区域检测", "change detection between two dates", "VQA1", "fine-grained recognition"]
        points = [
            point(f"{words[i % 4]} {i}", 0.05 * i, model=f"model number {j}", low=0.0, high=min(1.0, 0.06 * i))
            for i in range(tasks)
            for j in range(models)
        ]
        drawn, vis = data(*points), VisConfig()
        with plot_style(vis, drawn.texts()):
            for kind in ("bars", "radar", "heatmap"):
                plot = next(PLOTTERS[kind](drawn, vis), None)
                if plot is not None:
                    canvas = FigureCanvasAgg(plot.figure)
                    canvas.draw()
                    boxes = _boxes(plot.figure, canvas.get_renderer())
                    width, height = plot.figure.bbox.size
                    assert all(b.x0 >= 0 and b.y0 >= 0 and b.x1 <= width and b.y1 <= height for b in boxes)
                    for one, other in combinations(boxes, 2):
                        across = min(one.x1, other.x1) - max(one.x0, other.x0)
                        up = min(one.y1, other.y1) - max(one.y0, other.y0)
                        assert across <= 1 or up <= 0.3 * min(one.height, other.height)

    def test_a_model_has_one_colour_in_all_plots(self) -> None:
        from matplotlib.colors import to_hex

        from sightline.reports.plots.draw import PLOTTERS
        from sightline.reports.plots.style import plot_style

        points = [point("A", 0.5, model="first"), point("A", 0.5, model="second", metric="f1", title="F1")]
        drawn, vis = data(*points), VisConfig()
        with plot_style(vis, drawn.texts()):
            figures = {plot.name: plot.figure for plot in PLOTTERS["bars"](drawn, vis)}
            bars = [bar for bar in figures["bars_f1"].axes[0].patches if bar.get_height() > 0]
        assert [to_hex(bar.get_facecolor()).upper() for bar in bars] == [vis.palette[1]]


def _boxes(figure: Any, renderer: Any) -> list[Any]:
    """Where texts stand; those aslant are left out, since their boxes overlap where they don't."""
    from matplotlib.text import Text

    second = {tick.label2 for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for tick in axis.majorTicks}
    texts = [text for text in figure.findobj(Text) if text not in second and text.get_text()]
    return [text.get_window_extent(renderer) for text in texts if text.get_rotation() % 90 == 0]


class TestSettings:
    def test_the_file_holds_the_defaults(self) -> None:
        import sightline.reports.plots as package

        assert read_vis_config(Path(package.__file__).with_name("vis_config.json")) == VisConfig() == read_vis_config()

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ('{"pallete": []}', "Did you mean 'palette'"),
            ('{"plots": ["radr"]}', "Did you mean 'radar'"),
            ('{"formats": ["svg"]}', "Known: png, pdf"),
            ('{"width": 800}', "at least 1920"),
            ('{"palette": ["red"]}', "'red' is not a colour"),
            ('{"palette": []}', "at least one colour"),
            ('{"radar_maximum": {"cider": 0}}', "must be above 0"),
            ('{"dpi": "many"}', "Invalid value 'many'"),
            ("[1]", "a mapping at the top level"),
        ],
    )
    def test_mistakes_are_told(self, tmp_path: Path, text: str, told: str) -> None:
        path = tmp_path / "vis_config.json"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError) as error:
            read_vis_config(path)
        assert told in str(error.value)

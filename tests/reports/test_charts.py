"""Plots of the page: whole XML, every figure drawn where it belongs, names that can't do harm."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.core.records import Estimate
from sightline.core.registry import load_suite
from sightline.reports.plots.data import PLOT_KINDS, plot_data
from sightline.reports.plots.page_charts import page_charts
from sightline.reports.plots.prepare import BarGrid, Cell, CellTable, ChartBar, calibration, count_ticks
from sightline.reports.plots.svg import MAX_SHADE, bar_chart, cell_chart, count_chart, radar_chart
from sightline.scoring.summary import Row, Summary, TaskBreakdown
from tests.reports.test_plots import HOSTILE, PANELS, TASKS, data, panel, point

PLANE = "{http://www.w3.org/2000/svg}"
LADDER = ("series", "level", "value", "low", "high", "fit", "boundary")
MORE = (
    panel("grid", ("dimension", "L1", "L2"), ("perception", 0.75, None), ("action", 0.25, 0.5)),
    panel(
        "ladder", ("series", "level", "value", "low", "high", "fit", "boundary"), ("action", 1, 0.8, 0.6, 0.9, 0.8, 1.5)
    ),
    panel("calibration", ("truth", "predicted", "n"), (3, 3, 7), (3, 5, 2), (40, 0, 1)),
    panel(
        "pairs",
        ("", "n", "Opposed pairs", "Opposed pairs_low", "Opposed pairs_high"),
        ("All samples", 9, 0.5, 0.2, 0.8),
    ),
    panel("rungs", ("rung", "All samples"), ("Geometry right", 0.9), ("All right", 0.4)),
)


def drawn(svg: str) -> ElementTree.Element:
    """The elements of an SVG; inline in HTML it needs no name space."""
    return ElementTree.fromstring(svg)  # our own drawing


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in drawn(svg).iter("text")]


def test_every_kind_of_plot_is_on_the_page() -> None:
    points = [point(task, 0.3, low=0.2, high=0.4, baseline=0.25) for task in TASKS]
    made = list(page_charts(data(*points, panels=(*PANELS, *MORE))))
    assert {chart.kind for chart in made} == set(PLOT_KINDS)
    for chart in made:
        root = drawn(chart.svg)
        assert root.get("role") == "img" and root.get("aria-label") == chart.title
        assert not [element for element in root.iter() if element.get("id")]
        assert len(chart.svg) < 30_000


def test_nothing_from_nothing() -> None:
    assert list(page_charts(data())) == []
    empty = tuple(panel(p.name, p.head) for p in (*PANELS, *MORE))
    assert list(page_charts(data(point(value=None), point("B", float("nan")), panels=empty))) == []


@pytest.mark.parametrize("row", [(), ("x",), ("x", None, "y", float("nan")), (None,) * 9])
def test_panels_of_any_shape_are_survived(row: tuple[Any, ...]) -> None:
    """A file may hold anything; what can't be drawn is left out."""
    tables = [TaskBreakdown(task="t", name=p.name, head=p.head, rows=(row, *p.rows)) for p in (*PANELS, *MORE)]
    tables += [TaskBreakdown(task="t", name=p.name, head=head, rows=(row,)) for p in tables for head in ((), ("x",))]
    tables += [TaskBreakdown(task="t", name=p.name, head=tuple("abcdefghi"[: len(row)]), rows=(row,)) for p in tables]
    summary = Summary(suite="s", title="t", model="m", breakdowns=tables)
    made = list(page_charts(plot_data([summary])))
    assert made and all(drawn(chart.svg).tag == "svg" for chart in made)


def test_bars_end_at_their_values() -> None:
    grid = BarGrid(["a", "b"], 1, [[ChartBar(0.25, 0.1, 0.5, 0.4)], [ChartBar(1.0)]], True, "Share, %")
    root = drawn(bar_chart(grid, "t"))
    short, long = (float(element.get("width", "")) for element in root.iter("rect"))
    assert short / long == pytest.approx(0.25, abs=0.001)
    assert {"25.00", "100.00"} <= set(texts(bar_chart(grid, "t")))
    (mark,) = [element for element in root.iter("line") if element.get("stroke") == "var(--mark)"]
    left = float(next(root.iter("rect")).get("x", ""))
    assert (float(mark.get("x1", "")) - left) / long == pytest.approx(0.4, abs=0.001)


def test_numbers_have_an_axis_of_their_own() -> None:
    made = list(page_charts(data(point("A", 0.5), point("B", 12.0, metric="mae", title="MAE", unit="number"))))
    assert [chart.kind for chart in made[:2]] == ["bars", "bars"]
    assert "12.00" in texts(made[1].svg) and "12.00" not in texts(made[0].svg)


def test_cells_stay_readable() -> None:
    table = CellTable(["r"], ["c", "d"], [[Cell("100.00", 1.0), Cell("3.50", None)]])
    shades = [float(element.get("fill-opacity", "")) for element in drawn(cell_chart(table, "t")).iter("rect")]
    assert max(shades[:1]) == pytest.approx(MAX_SHADE) and {"100.00", "3.50"} <= set(texts(cell_chart(table, "t")))


@given(st.lists(st.floats(0, 1), min_size=3, max_size=40))
@settings(max_examples=30, deadline=None)
def test_a_radar_keeps_its_distances(heights: list[float]) -> None:
    root = drawn(radar_chart([f"task {k}" for k in range(len(heights))], [heights], "t"))
    centre = next(root.iter("line"))
    x, y = float(centre.get("x1", "")), float(centre.get("y1", ""))
    spokes = [((float(e.get("x2", "")) - x) ** 2 + (float(e.get("y2", "")) - y) ** 2) ** 0.5 for e in root.iter("line")]
    dots = [((float(e.get("cx", "")) - x) ** 2 + (float(e.get("cy", "")) - y) ** 2) ** 0.5 for e in root.iter("circle")]
    assert [dot / spoke for dot, spoke in zip(dots, spokes, strict=True)] == pytest.approx(heights, abs=0.002)


def test_right_counts_lie_on_the_diagonal() -> None:
    root = drawn(count_chart([(n, n, 1.0) for n in (0, 1, 7, 300)], ("x", "y"), "t"))
    diagonal = next(element for element in root.iter("line") if element.get("stroke-dasharray") == "6 4")
    (x1, y1), (x2, y2) = ((float(diagonal.get(f"x{k}", "")), float(diagonal.get(f"y{k}", ""))) for k in (1, 2))
    for dot in root.iter("circle"):
        x, y = float(dot.get("cx", "")), float(dot.get("cy", ""))
        assert (y - y1) / (y2 - y1) == pytest.approx((x - x1) / (x2 - x1), abs=0.002)


@given(st.floats(0, 1e9))
def test_ticks_reach_the_largest(most: float) -> None:
    ticks = count_ticks(most)
    assert ticks[-1] >= most and all(one < other for one, other in pairwise(ticks))
    assert all(re.fullmatch("0|[125]0*", str(tick)) for tick in ticks)


def test_calibration_takes_what_can_be_drawn() -> None:
    rows = ((3, 3, 7), (3, None, 2), ("x", 1, 1), (-2, 4, 1), (1, 1, 0))
    assert calibration(panel("calibration", ("truth", "predicted", "n"), *rows)) == [(3, 3, 7), (0, 4, 1)]


def test_names_can_do_no_harm() -> None:
    evil = [*HOSTILE, "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a & b", "\u202egnp"]
    points = [point(name, 0.5, model=model, title=name) for name in evil for model in evil[:2]]
    rows = tuple((name, *range(len(evil))) for name in evil)
    panels = tuple(panel(kind, ("truth", *evil), *rows) for kind in ("confusion", "per_class", "grid", "rungs"))
    for chart in page_charts(data(*points, panels=panels, title=evil[0])):
        # lone halves of characters can't be written at all; a page says so in their place
        svg = chart.svg.encode("utf-8", "replace").decode()
        assert {element.tag for element in drawn(svg).iter()} <= {"svg", "text", "line", "rect", "path", "circle"}
        assert "\u202e" not in svg


def test_metrics_with_rungs_make_the_ladder_of_diagnosis() -> None:
    def row(scope: str, name: str, metric: str, value: float) -> Row:
        title = metric.replace("_", " ").capitalize()
        return Row(scope=scope, name=name, metric=metric, title=title, core=True, estimate=Estimate(value=value, n=4))

    shares = {"full_marks": 0.25, "supports_right": 0.5, "geometry_right": 0.75, "accuracy": 0.1, "os:system": 0.2}
    rows = [row(scope, name, *one) for scope, name in (("overall", ""), ("task", "beam")) for one in shares.items()]
    summary = Summary(suite="s", title="t", model="m", rows=rows)
    (ladder,) = plot_data([summary]).panels
    assert ladder.name == "rungs" and ladder.head[1::3] == ("All samples", "beam")
    assert [(line[0], line[1]) for line in ladder.rows] == [
        ("Geometry right", 0.75),
        ("Supports right", 0.5),
        ("Full marks", 0.25),
    ]


def test_pairs_of_the_simulation_suite_stand_beside_the_key() -> None:
    share = {"opposed_pairs": 0.5, "key_opposed_pairs": 0.75, "pair_relation": 0.25}
    figures = {("overall", "", name): Estimate(value=value, low=0.1, high=0.9, n=8) for name, value in share.items()}
    head, rows = load_suite("simulation").plot_tables(figures)["pairs"]
    assert dict(zip(head, rows[0], strict=True))["Opposed pairs in the key"] == 0.75
    made = next(page_charts(data(panels=(panel("pairs", tuple(head), tuple(rows[0])),))))
    assert made.legend == ("Opposed pairs in the key", "Opposed pairs", "Pair relation as in the key")
    assert {"75.00", "50.00", "25.00"} <= set(texts(made.svg))
    assert load_suite("simulation").plot_tables({}) == {}

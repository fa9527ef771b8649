"""All plots of a report, as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure

from sightline.reports.plots import bars, breakdowns, calibration, confusion, curves, heatmap, ladder, radar
from sightline.reports.plots.data import PlotData
from sightline.reports.plots.names import file_name
from sightline.reports.plots.style import Plot, dots, paper
from sightline.reports.plots.vis import VisConfig

KINDS: dict[str, Callable[[PlotData, VisConfig], Iterator[Plot]]] = {
    "bars": bars.plots,
    "radar": radar.plots,
    "heatmap": heatmap.plots,
    "by_size": breakdowns.by_size,
    "by_count": breakdowns.by_count,
    "per_class": breakdowns.per_class,
    "confusion": confusion.plots,
    "pr_curve": curves.plots,
    "boundary": ladder.plots,
    "grid": ladder.grids,
    "rungs": breakdowns.rungs,
    "pairs": breakdowns.pairs,
    "calibration": calibration.plots,
}


def draw_all(data: PlotData, folder: Path, vis: VisConfig) -> list[Path]:
    """Write every plot that has data into the folder; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    taken: set[str] = set()
    with paper(vis, data.texts()):
        for kind, plots in KINDS.items():
            # one page at a time: a page holds tens of megabytes while it is drawn
            for plot in plots(data, vis) if kind in vis.plots else ():
                name = file_name(plot.name, taken)
                for ending in vis.formats:
                    files.append(_save(plot.figure, folder / f"{name}.{ending}", vis))
                    # laid out once: the page is the same in every format
                    plot.figure.set_layout_engine("none")
    return files


def _save(figure: Figure, path: Path, vis: VisConfig) -> Path:
    """Write a file whole or not at all, the same bytes every time."""
    part = path.with_name(path.name + ".part")
    if path.suffix == ".png":
        figure.set_dpi(dots(vis))
        FigureCanvasAgg(figure).print_png(str(part), metadata={"Software": None})  # type: ignore[no-untyped-call]
    else:
        FigureCanvasPdf(figure).print_pdf(str(part), metadata={"Creator": None, "CreationDate": None})  # type: ignore[no-untyped-call]
    part.replace(path)
    return path

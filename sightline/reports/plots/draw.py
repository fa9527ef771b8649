"""Plot files: every plot that has data, as PNG and PDF."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure

from sightline.core.atomic_io import atomic_path
from sightline.reports.plots.bars import breakdown_plots, model_bars
from sightline.reports.plots.curves import boundary_plots, calibration_plots, pr_curve_plots
from sightline.reports.plots.data import PlotData, VisConfig
from sightline.reports.plots.heatmaps import confusion_plots, grid_plots, heatmap_plots
from sightline.reports.plots.labels import file_name
from sightline.reports.plots.radar import radar_plots
from sightline.reports.plots.style import Plot, pixels_per_inch, plot_style

PLOTTERS: dict[str, Callable[[PlotData, VisConfig], Iterator[Plot]]] = {
    "bars": model_bars,
    "radar": radar_plots,
    "heatmap": heatmap_plots,
    "by_size": partial(breakdown_plots, "by_size"),
    "by_count": partial(breakdown_plots, "by_count"),
    "per_class": partial(breakdown_plots, "per_class"),
    "confusion": confusion_plots,
    "pr_curve": pr_curve_plots,
    "boundary": boundary_plots,
    "grid": grid_plots,
    "rungs": partial(breakdown_plots, "rungs"),
    "pairs": partial(breakdown_plots, "pairs"),
    "calibration": calibration_plots,
}


def draw_all(data: PlotData, folder: Path, vis: VisConfig) -> list[Path]:
    """Write every plot that has data into the folder; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    taken: set[str] = set()
    with plot_style(vis, data.texts()):
        for kind, plots in PLOTTERS.items():
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
    with atomic_path(path) as temporary:
        if path.suffix == ".png":
            figure.set_dpi(pixels_per_inch(vis))
            FigureCanvasAgg(figure).print_png(str(temporary), metadata={"Software": None})  # type: ignore[no-untyped-call]
        else:
            metadata = {"Creator": None, "CreationDate": None}
            FigureCanvasPdf(figure).print_pdf(str(temporary), metadata=metadata)  # type: ignore[no-untyped-call]
    return path

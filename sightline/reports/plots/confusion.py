"""Which class is taken for which."""

from __future__ import annotations

from collections.abc import Iterator

from sightline.i18n import tr
from sightline.reports.plots.cells import scale_bar, table_page
from sightline.reports.plots.data import PlotData
from sightline.reports.plots.style import Plot, shown, title
from sightline.reports.plots.tables import confusion
from sightline.reports.plots.vis import VisConfig


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`confusion_<task>_<model>`."""
    for panel in data.panels:
        table = confusion(panel, shown) if panel.name == "confusion" else None
        if table is None:
            continue
        figure, axes = table_page(table, vis, 0.72)
        axes.set_xlabel(tr("Predicted class"))
        axes.set_ylabel(tr("True class"))
        title(figure, vis.font_size, tr("Confusion matrix"), shown(panel.task), shown(data.title), shown(panel.model))
        scale_bar(figure, axes, tr("Share of the true class, %"))
        yield Plot(f"confusion_{panel.task}_{panel.model}", figure)

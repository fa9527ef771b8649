"""All report files of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sightline.reports.csv import write_csv
from sightline.reports.markdown import to_markdown
from sightline.reports.page.build import Reported, report_page
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Summary


def draw_plots(summaries: Sequence[Summary], folder: Path, vis_config: Path | None = None) -> list[Path]:
    """All plots of one or several models, as PNG and PDF."""
    from sightline.reports.plots.from_summary import plot_data
    from sightline.reports.plots.vis import read_vis
    from sightline.reports.plots.write import draw_all

    return draw_all(plot_data(summaries), folder, read_vis(vis_config))


def write_reports(summary: Summary, manifest: Manifest, folder: RunFolder) -> None:
    """CSV, Markdown and one self-contained page."""
    write_csv([summary], folder.report_csv)
    folder.report_md.write_text(to_markdown(summary), encoding="utf-8")
    page = report_page([Reported(summary=summary, manifest=manifest)])
    folder.report_html.write_text(page, encoding="utf-8")

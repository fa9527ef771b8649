"""All report files of a run."""

from __future__ import annotations

from sightline.grading.summary import Summary
from sightline.reports.csv import write_csv
from sightline.reports.html import to_html
from sightline.reports.markdown import to_markdown
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest


def write_reports(summary: Summary, manifest: Manifest, folder: RunFolder) -> None:
    """CSV, Markdown and one self-contained page."""
    write_csv(summary, folder.report_csv)
    folder.report_md.write_text(to_markdown(summary), encoding="utf-8")
    folder.report_html.write_text(to_html(summary, manifest), encoding="utf-8")

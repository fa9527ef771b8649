"""Export of runs as one shareable file: HTML page, Markdown, CSV or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from sightline.core.atomic_io import atomic_path
from sightline.core.errors import SightlineError, UsageError
from sightline.i18n import tr
from sightline.reports.html import bilingual_text
from sightline.reports.markdown import to_markdown
from sightline.reports.report_page import ReportedRun, report_page
from sightline.reports.sample_cards import CardOptions, ProgressFunction, sample_cards
from sightline.reports.write import write_csv
from sightline.runs.comparison.compare import compare_runs
from sightline.runs.comparison.graded_runs import GradedRun


def export_runs(runs: Sequence[GradedRun], target: Path, options: CardOptions, watch: ProgressFunction) -> None:
    """Write the file that the target's ending names, whole or not at all."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(target) as temporary:
            if target.suffix.lower() == ".csv":
                write_csv([run.summary for run in runs], temporary)
            else:
                temporary.write_text(_text(runs, target.suffix.lower(), options, watch), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            "Cannot write {path}: {why}", hint="Choose another file: --out FILE", path=target, why=error.strerror
        ) from None


def _text(runs: Sequence[GradedRun], ending: str, options: CardOptions, watch: ProgressFunction) -> str:
    if ending == ".md":
        return "\n".join(to_markdown(run.summary) for run in runs)
    if ending == ".json":
        stored = [run.summary for run in runs]
        return msgspec.json.format(msgspec.json.encode(stored[0] if len(stored) == 1 else stored), indent=2).decode()
    return render_runs(runs, options, watch)


def render_runs(
    runs: Sequence[GradedRun], options: CardOptions, watch: ProgressFunction = lambda what, done, total: None
) -> str:
    """The page of one run, or of several with their comparison; runs that can't be compared say why."""
    comparison, why_not = None, ""
    if len(runs) > 1:
        watch("comparing", 0, 1)
        try:
            comparison = compare_runs([run.folder.path for run in runs])
        except SightlineError:
            why_not = bilingual_text(lambda: tr("Not compared by sample: {fault}", fault=_refusal_reason(runs)))
    level = 3 if len(runs) == 1 else 4
    reported = [
        ReportedRun(summary=run.summary, manifest=run.manifest, samples=sample_cards(run, options, level, watch))
        for run in runs
    ]
    return report_page(reported, comparison, why_not)


def _refusal_reason(runs: Sequence[GradedRun]) -> str:
    """Why runs are not compared, in the current language: the error is formatted when it is raised."""
    try:
        compare_runs([run.folder.path for run in runs])
    except SightlineError as error:
        return tr(error.template, **error.arguments)
    return ""

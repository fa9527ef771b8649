"""Runs as one file to send around: a page, Markdown, CSV or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from sightline.core.errors import SightlineError, UsageError
from sightline.i18n import tr
from sightline.reports.csv import write_csv
from sightline.reports.markdown import to_markdown
from sightline.reports.page.bilingual import phrase
from sightline.reports.page.build import Reported, report_page
from sightline.reports.page.samples import Watcher, Wish, sample_cards
from sightline.runs.comparison.compare import compare_runs
from sightline.runs.comparison.graded_runs import GradedRun
from sightline.runs.comparison.records import Comparison


def publish(runs: Sequence[GradedRun], target: Path, wish: Wish, watch: Watcher) -> None:
    """Write the file that the target's ending names, whole or not at all."""
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix.lower() == ".csv":
            write_csv([run.summary for run in runs], part)
        else:
            part.write_text(_text(runs, target.suffix.lower(), wish, watch), encoding="utf-8")
        part.replace(target)
    except OSError as error:
        raise UsageError(
            "Can't write {path}: {why}", hint="Name another file: --out FILE", path=target, why=error.strerror
        ) from None


def _text(runs: Sequence[GradedRun], ending: str, wish: Wish, watch: Watcher) -> str:
    if ending == ".md":
        return "\n".join(to_markdown(run.summary) for run in runs)
    if ending == ".json":
        stored = [run.summary for run in runs]
        return msgspec.json.format(msgspec.json.encode(stored[0] if len(stored) == 1 else stored), indent=2).decode()
    return page_of(runs, wish, watch)


def page_of(runs: Sequence[GradedRun], wish: Wish, watch: Watcher = lambda what, done, total: None) -> str:
    """The page of one run, or of several with their comparison; runs that can't be compared say why."""
    comparison, why_not = None, ""
    if len(runs) > 1:
        watch("comparing", 0, 1)
        comparison, why_not = _compared(runs)
    level = 3 if len(runs) == 1 else 4
    reported = [
        Reported(summary=run.summary, manifest=run.manifest, samples=sample_cards(run, wish, level, watch))
        for run in runs
    ]
    return report_page(reported, comparison, why_not)


def _compared(runs: Sequence[GradedRun]) -> tuple[Comparison | None, str]:
    try:
        return compare_runs([run.folder.path for run in runs]), ""
    except SightlineError:
        return None, phrase(lambda: tr("Not compared sample by sample: {fault}", fault=_refusal(runs)))


def _refusal(runs: Sequence[GradedRun]) -> str:
    """Why runs are not compared, in the language in force: what differs is said when it is found."""
    try:
        compare_runs([run.folder.path for run in runs])
    except SightlineError as error:
        return tr(error.template, **error.arguments)
    return ""

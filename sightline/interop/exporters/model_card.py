"""Exporter of a run as a model card section in Markdown."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from sightline.core.config import PACE_ONLY, RunConfig
from sightline.core.registry import find, names
from sightline.core.remarks import Remark
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import table
from sightline.i18n import tr
from sightline.interop.exporting import Exporter, ExportSource
from sightline.reports.formatting import format_count, format_interval, format_skill, format_value, row_name
from sightline.reports.markdown import markdown_safe, table_text
from sightline.reports.tables import Table, headline, metric_title
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Row


class ModelCard(Exporter):
    """Score, interval, blind baseline, coverage, data fingerprint and the command."""

    title = "Section of a model card (Markdown)"
    suffixes = (".md",)

    def write(self, run: ExportSource, out: Path) -> list[Remark]:
        """See `Exporter`."""
        out.write_text(render_card(run), encoding="utf-8")
        return []


def render_card(run: ExportSource) -> str:
    """Render the section as Markdown."""
    summary, manifest = run.summary, run.manifest
    lines = [f"- **{markdown_safe(name)}**: {markdown_safe(value)}" for name, value in headline(summary)]
    lines.append(
        f"- **{tr('Data')}**: {markdown_safe(Path(manifest.data).name)}, SHA-256 `{manifest.grading_fingerprint[1]}`"
    )
    deviations = [*map(str, summary.deviations)] or [tr("none")]
    lines.append(f"- **{tr('Deviations from the standard protocol')}**: {markdown_safe('; '.join(deviations))}")
    lines.append(f"- **{tr('Versions')}**: sightline {manifest.versions.get('sightline', '–')}")
    parts = [table_text(_metrics_table(list(_headline_rows(summary.rows)))), "\n".join(lines)]
    parts.append(f"```bash\n{rebuild_command(manifest)}\n```")
    return "\n\n".join(parts) + "\n"


def _headline_rows(rows: list[Row]) -> Iterator[Row]:
    """Yield the core metrics over all samples, then of each task."""
    yield from (row for row in rows if row.scope == "overall" and row.core)
    tasks = [row for row in rows if row.scope == "task" and row.core]
    if len({row.name for row in tasks}) > 1 or not any(row.scope == "overall" and row.core for row in rows):
        yield from tasks


def _metrics_table(rows: list[Row]) -> Table:
    return Table(
        title=tr("Results"),
        head=[tr("task"), tr("Metric"), tr("Value"), tr("95 % interval"), "n", tr("Best blind baseline"), tr("Skill")],
        rows=[
            [
                row_name(row) or tr("All samples"),
                metric_title(row),
                format_value(row.estimate.value, row.unit),
                format_interval(row.estimate, row.unit),
                format_count(row.estimate.n),
                format_value(row.baseline.value) if row.baseline else "–",
                format_skill(row.baseline.skill) if row.baseline else "–",
            ]
            for row in rows
        ],
        texts=2,
    )


def rebuild_command(manifest: Manifest) -> str:
    """Rebuild the command line of a run: all settings that differ from the defaults and affect the result."""
    if "anno_path" in manifest.config:
        return shlex.join(["sightline", "score", *_flags(ScoreConfig, manifest.config, {"json", "lang"})])
    words = ["sightline", "run", manifest.suite, *_flags(RunConfig, manifest.config, PACE_ONLY - {"max_retries"})]
    if manifest.suite in names("suites"):
        words += _flags(find("suites", manifest.suite).options_type, manifest.options, frozenset())
    return shlex.join(words)


def _flags(record: type[Struct], values: Mapping[str, Any], excluded: frozenset[str] | set[str]) -> Iterator[str]:
    for row in table(record):
        value = values.get(row.name, row.default)
        setting = tuple(value) if isinstance(value, list) else value
        if row.name in excluded or row.secret or setting == row.default or setting in (None, "", ()):
            continue
        if isinstance(setting, dict):
            for key, entry in setting.items():
                yield from (row.flag, f"{key}={entry}")
        elif isinstance(setting, tuple):
            for entry in setting:
                yield from (row.flag, str(entry))
        else:
            yield from (row.flag, str(setting))

"""Scoring of saved outputs against annotation files: grades, reports and plots in one call, and its result object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, json

from sightline.api.known_faults import report_known_faults
from sightline.core.atomic_io import write_json
from sightline.core.errors import StorageError, UsageError
from sightline.core.interfaces import ColumnSuite
from sightline.core.score_config import ScoreConfig
from sightline.data.fingerprint import VERSION, compute_fingerprint
from sightline.data.storage import AnyPath, is_remote, parse_path, redact
from sightline.data.storage.addresses import named_paths
from sightline.data.storage.transfer import stage_results
from sightline.reports.write import draw_plots, write_comparison, write_reports
from sightline.runs.folder import RunFolder, slugify
from sightline.runs.manifest import Manifest, package_versions
from sightline.scoring.dataframes import TableResult, estimate_of, records
from sightline.scoring.files.model_results import summarize
from sightline.scoring.files.progress import Watcher
from sightline.scoring.files.scoring_job import ScoringJob
from sightline.scoring.files.suite_lookup import column_suite
from sightline.scoring.grades.writer import write_csv
from sightline.scoring.summary import Row, Summary, save_summary


class ScoreReport(TableResult, Struct, kw_only=True):
    """The figures of one or several models on the same annotations, one row per figure, and the folder of all files."""

    folder: Path
    summaries: dict[str, Summary]

    @property
    def summary(self) -> Summary:
        """The only model's figures, or the first one's."""
        return next(iter(self.summaries.values()))

    def value(self, task: str, metric: str, model: str = "") -> float | None:
        """One figure, such as `report.value("计数", "mae")`."""
        summary = self.summaries[model] if model else self.summary
        found = [row for row in summary.rows if row.scope == "task" and (row.name, row.metric) == (task, metric)]
        if not found:
            raise UsageError("The report has no '{metric}' of '{task}'.", metric=metric, task=task)
        return found[0].estimate.value

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values: by model, then overall, by level and by task."""
        return {
            "folder": str(self.folder),
            "models": {model: _plain_values(summary) for model, summary in self.summaries.items()},
        }

    def _rows(self) -> Iterator[dict[str, Any]]:
        return records(self.summaries)

    def _repr_html_(self) -> str:
        from sightline.reports.html import summaries_html

        return summaries_html(list(self.summaries.values()))

    def __str__(self) -> str:
        from sightline.reports.markdown import to_markdown

        return "\n\n".join(map(to_markdown, self.summaries.values()))


def _plain_values(summary: Summary) -> dict[str, Any]:
    by_task: dict[str, Any] = {}
    for row in summary.rows_of("task"):
        by_task.setdefault(row.name, {"metrics": {}, "breakdowns": {}})["metrics"][row.metric] = _figure(row)
    for table in summary.breakdowns:
        by_task[table.task]["breakdowns"][table.name] = {"head": table.head, "rows": table.rows}
    return {
        "suite": summary.suite,
        "samples": summary.samples,
        "pending": summary.pending,
        "states": summary.statuses,
        "coverage": summary.coverage,
        "overall": {row.metric: _figure(row) for row in summary.rows_of("overall")},
        "levels": {row.name: {row.metric: _figure(row)} for row in summary.rows_of("level")},
        "tasks": by_task,
        "deviations": [str(remark) for remark in summary.deviations],
        "notes": [str(remark) for remark in summary.notes],
    }


def _figure(row: Row) -> dict[str, Any]:
    figure = estimate_of(row)
    if row.baseline is not None:
        figure |= {"baseline": row.baseline.name, "baseline_value": row.baseline.value, "skill": row.baseline.skill}
    return figure


def score_files(config: ScoreConfig, name: str = "", watch: Watcher = lambda what, done, total: None) -> ScoreReport:
    """Score every model's outputs; one model's files lie in the output folder itself, several in a folder each."""
    suite = column_suite(config, name)
    with stage_results(parse_path(config.output_dir)) as target:
        job = ScoringJob(config, suite, watch)
        started = datetime.now().astimezone().isoformat(timespec="seconds")
        folders = _folders(target.folder, list(named_paths(config.model_result_path)))
        _clear(target.folder, folders.values())
        summaries = job.run(folders, lambda results: summarize(results, config, suite))
        target.send()
        data_sha256 = compute_fingerprint(
            parse_path(config.anno_path), lambda done, total: watch("MB hashed", done // 10**6, total // 10**6)
        ).sha256
        for model, folder in folders.items():
            _write(summaries[model], folder, _manifest(config, suite, model, started, data_sha256))
            if config.collect_sample_details:
                write_csv(folder.grades, folder.path / "grades.csv")
        report = ScoreReport(folder=target.target, summaries=summaries)
        if len(summaries) > 1:
            write_comparison(list(summaries.values()), target.folder)
        if config.output_json:
            _write_json(parse_path(config.output_json), report)
        if config.known_faults:
            report_known_faults(
                config, suite, summaries, lambda other: score_files(other, name).summaries, target.folder, watch
            )
        if config.vis:
            watch("drawing", 0, 1)
            own = Path(config.defaults) / "vis_config.json"
            vis = own if config.defaults and own.is_file() else None
            draw_plots(list(summaries.values()), target.folder / "plots", vis)
            watch("drawing", 1, 1)
    return report


def _folders(out: Path, models: list[str]) -> dict[str, RunFolder]:
    """Where each model's files go; file names can't leave the output folder."""
    made: dict[str, RunFolder] = {}
    for model in models:
        path = out if len(models) == 1 else out / slugify(model)
        while any(other.path == path for other in made.values()):
            path = path.with_name(path.name + "_")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError("Cannot create the folder {path}: {why}", path=path, why=error.strerror) from None
        made[model] = RunFolder(path)
    return made


def _clear(out: Path, folders: Iterable[RunFolder]) -> None:
    """Remove what an earlier scoring into the same folder has left, and this one may not write again."""
    known = [folder for folder in folders if folder.manifest.exists()]
    for folder in known:
        (folder.path / "grades.csv").unlink(missing_ok=True)
    for plot in (out / "plots").glob("*.p[nd][gf]") if known else ():
        plot.unlink()


def _manifest(config: ScoreConfig, suite: ColumnSuite, model: str, started: str, data_sha256: str) -> Manifest:
    return Manifest(
        suite=suite.name,
        suite_version=suite.version,
        title=suite.title,
        model=model,
        state="finished",
        started=started,
        ended=datetime.now().astimezone().isoformat(timespec="seconds"),
        key="",
        data=str(parse_path(config.anno_path)),
        data_sha256=data_sha256,
        data_fingerprint_version=VERSION,
        config=_without_secrets(msgspec.to_builtins(config)),
        options=msgspec.to_builtins(suite.options),
        identity={"outputs": str(parse_path(named_paths(config.model_result_path)[model]))},
        versions=package_versions(),
    )


def _without_secrets(value: Any) -> Any:
    """The same, with addresses that show no passwords."""
    if isinstance(value, dict):
        return {key: _without_secrets(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_without_secrets(entry) for entry in value]
    return redact(value) if isinstance(value, str) else value


def _write_json(path: AnyPath, report: ScoreReport) -> None:
    if is_remote(path):
        path.write_bytes(json.format(json.encode(report.to_dict()), indent=2))
    else:
        write_json(path, report.to_dict())


def _write(summary: Summary, folder: RunFolder, manifest: Manifest) -> None:
    manifest.facts, manifest.deviations = summary.facts, summary.deviations
    try:
        save_summary(summary, folder.report_json)
        write_reports(summary, manifest, folder)
        manifest.save(folder.manifest)
    except OSError as error:
        raise StorageError("Cannot write into {folder}: {why}", folder=folder.path, why=error.strerror) from None

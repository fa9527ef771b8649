"""Leaderboard: all graded runs below a folder, ranked within groups of comparable runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import DataError, SightlineError
from sightline.core.records import Remark, Unit
from sightline.runs.comparison.comparability import comparability_key
from sightline.runs.comparison.load_run import GradedRun, load_graded_run
from sightline.runs.comparison.ranks import RankingTests, rank_interval


class Entry(Struct, frozen=True, kw_only=True):
    """A leaderboard entry: one model in one setting."""

    model: str
    params: str = ""
    deviations: tuple[Remark, ...] = ()
    arguments: str = ""
    """Extra arguments of the model's requests, as key=value."""
    folder: str
    started: str = ""
    complete: bool = True
    earlier: int = 0
    """Number of other runs of the same model and setting that are not shown."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    coverage: float | None = None
    baseline: float | None = None
    skill: float | None = None
    rank: int | None = None
    best_rank: int | None = None
    worst_rank: int | None = None

    @property
    def setting(self) -> str:
        """Deviations from the standard protocol, in the current language; empty if there are none."""
        return "; ".join(filter(None, (*map(str, self.deviations), self.arguments)))

    @property
    def row(self) -> tuple[str, str, str]:
        """Key that joins the entries of one model and setting across suites."""
        return self.model, self.params, self.setting


class Group(Struct, frozen=True, kw_only=True):
    """Comparable runs (same data and settings), which are ranked against each other."""

    name: str
    suite: str
    title: str
    version: str
    data: str
    rules: tuple[str, ...] = ()
    """Non-default options, selection and scoring settings, as `name: value`."""
    metric: str = ""
    metric_title: str = ""
    unit: Unit = "share"
    higher_is_better: bool = True
    paired: bool = False
    """Whether all rank intervals are based on paired tests on the same samples."""
    entries: tuple[Entry, ...] = ()


class Leaderboard(Struct, frozen=True, kw_only=True):
    """All groups, and the folders that could not be read."""

    groups: tuple[Group, ...]
    left_out: tuple[Remark, ...] = ()


def build_leaderboard(runs_dir: str | Path) -> Leaderboard:
    """Rank all graded runs below a folder."""
    root = Path(runs_dir)
    graded_runs, left_out = [], []
    for path in sorted(root.rglob("manifest.json")):
        if path.parent.name == "judge" and (path.parents[1] / "manifest.json").exists():
            continue  # the judge's run belongs to the run above it
        try:
            graded_runs.append(load_graded_run(path.parent))
        except SightlineError as error:
            why = str(error).partition("\n")[0]
            left_out.append(Remark("{folder} is left out: {reason}", {"folder": str(path.parent), "reason": why}))
    if not graded_runs:
        raise DataError("There is no graded run in {folder}.", hint="Make one: sightline demo", folder=root)
    groups: dict[bytes, list[GradedRun]] = {}
    for run in graded_runs:
        key = {**comparability_key(run.manifest), "metric": run.summary.headline}
        groups.setdefault(msgspec.json.encode(key, order="deterministic"), []).append(run)
    ordered = sorted(groups.values(), key=_group_order)
    return Leaderboard(
        groups=tuple(_group(runs, name) for runs, name in zip(ordered, _group_names(ordered), strict=True)),
        left_out=tuple(left_out),
    )


def _group_order(runs: Sequence[GradedRun]) -> tuple[str, int, str]:
    """Sort key: by suite, groups with more runs first."""
    first = runs[0].manifest
    return first.suite, -len(runs), msgspec.json.encode(comparability_key(first), order="deterministic").decode()


def _group_names(groups: Iterable[Sequence[GradedRun]]) -> list[str]:
    """Name groups by suite, numbered if a suite has several groups."""
    suites = [runs[0].manifest.suite for runs in groups]
    return [
        suite if suites.count(suite) == 1 else f"{suite} #{suites[: index + 1].count(suite)}"
        for index, suite in enumerate(suites)
    ]


def _group(runs: Sequence[GradedRun], name: str) -> Group:
    latest = _latest_runs(runs)
    manifest = runs[0].manifest
    head = next((run.summary.head for run, _ in latest if run.summary.head is not None), None)
    settings = {
        key: value for key, value in comparability_key(manifest).items() if key not in ("suite", "version", "data")
    }
    higher = head is None or head.higher_is_better
    tests = RankingTests([run for run, _ in latest], higher)
    entries = [
        replace(_entry(run, earlier), **rank_interval(tests, index)) for index, (run, earlier) in enumerate(latest)
    ]
    return Group(
        name=name,
        suite=manifest.suite,
        title=manifest.title,
        version=manifest.suite_version,
        data=manifest.grading_fingerprint[1],
        rules=tuple(f"{key.partition(' ')[2]}: {_format_value(value)}" for key, value in settings.items()),
        metric=head.metric if head else "",
        metric_title=head.title if head else "",
        unit=head.unit if head else "share",
        higher_is_better=higher,
        paired=tests.paired,
        entries=tuple(sorted(entries, key=lambda entry: (entry.rank is None, entry.rank, entry.row, entry.folder))),
    )


def _format_value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _latest_runs(runs: Sequence[GradedRun]) -> list[tuple[GradedRun, int]]:
    """Choose one run per model and setting, complete ones and later ones first, with the number of others."""
    by_row: dict[tuple[str, str, str], list[GradedRun]] = {}
    for run in runs:
        by_row.setdefault(_entry(run, 0).row, []).append(run)
    return [
        (max(same, key=lambda run: (run.complete, run.manifest.started, str(run.folder.path))), len(same) - 1)
        for same in by_row.values()
    ]


def _entry(run: GradedRun, earlier: int) -> Entry:
    summary, manifest = run.summary, run.manifest
    score, baseline = summary.score, summary.best_baseline
    arguments = manifest.config.get("model_args") or {}
    return Entry(
        model=summary.model,
        params=summary.params,
        deviations=tuple(manifest.deviations),
        arguments=", ".join(f"{key}={value}" for key, value in sorted(arguments.items())),
        folder=str(run.folder.path),
        started=manifest.started,
        complete=run.complete,
        earlier=earlier,
        value=score.value if score else None,
        low=score.low if score else None,
        high=score.high if score else None,
        n=score.n if score else 0,
        coverage=summary.coverage,
        baseline=baseline.value if baseline else None,
        skill=baseline.skill if baseline else None,
    )

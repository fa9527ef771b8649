"""All graded runs below a folder, ranked within groups that may be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import DataError, SightlineError
from sightline.core.records import Remark, Unit
from sightline.runs.comparison.comparability import basis
from sightline.runs.comparison.load_run import GradedRun, load_graded
from sightline.runs.comparison.ranks import Contest, rank_range


class Entry(Struct, frozen=True, kw_only=True):
    """A model in one setting."""

    model: str
    params: str = ""
    deviations: tuple[Remark, ...] = ()
    arguments: str = ""
    """Extra arguments of the model's requests, as key=value."""
    folder: str
    started: str = ""
    complete: bool = True
    earlier: int = 0
    """Other runs of the same model and setting, which this one stands for."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    coverage: float | None = None
    control: float | None = None
    skill: float | None = None
    rank: int | None = None
    best_rank: int | None = None
    worst_rank: int | None = None

    @property
    def setting(self) -> str:
        """In what the run left the standard, in the reader's language; empty: in nothing."""
        return "; ".join(filter(None, (*map(str, self.deviations), self.arguments)))

    @property
    def row(self) -> tuple[str, str, str]:
        """What makes it the same row in every suite."""
        return self.model, self.params, self.setting


class Group(Struct, frozen=True, kw_only=True):
    """Runs on the same data by the same rules: only these are ranked against each other."""

    name: str
    suite: str
    title: str
    version: str
    data: str
    rules: tuple[str, ...] = ()
    """Options, selection and scoring that are not the standard ones, as `name: value`."""
    metric: str = ""
    metric_title: str = ""
    unit: Unit = "share"
    higher_is_better: bool = True
    paired: bool = False
    """Whether the ranges of all ranks rest on the very same samples."""
    entries: tuple[Entry, ...] = ()


class Leaderboard(Struct, frozen=True, kw_only=True):
    """Every group there is, and the folders that could not be read."""

    groups: tuple[Group, ...]
    left_out: tuple[Remark, ...] = ()


def leaderboard(runs_dir: str | Path) -> Leaderboard:
    """Rank all graded runs below a folder."""
    root = Path(runs_dir)
    found, left_out = [], []
    for path in sorted(root.rglob("manifest.json")):
        if path.parent.name == "judge" and (path.parents[1] / "manifest.json").exists():
            continue  # a second opinion on the run above it
        try:
            found.append(load_graded(path.parent))
        except SightlineError as error:
            why = str(error).partition("\n")[0]
            left_out.append(Remark("{folder} is left out: {reason}", {"folder": str(path.parent), "reason": why}))
    if not found:
        raise DataError("There is no graded run in {folder}.", hint="Make one: sightline demo", folder=root)
    groups: dict[bytes, list[GradedRun]] = {}
    for run in found:
        rules = {**basis(run.manifest), "metric": run.summary.headline}
        groups.setdefault(msgspec.json.encode(rules, order="deterministic"), []).append(run)
    ordered = sorted(groups.values(), key=_place)
    return Leaderboard(
        groups=tuple(_group(runs, name) for runs, name in zip(ordered, _names(ordered), strict=True)),
        left_out=tuple(left_out),
    )


def _place(runs: Sequence[GradedRun]) -> tuple[str, int, str]:
    """By suite, the group with most runs first."""
    first = runs[0].manifest
    return first.suite, -len(runs), msgspec.json.encode(basis(first), order="deterministic").decode()


def _names(groups: Iterable[Sequence[GradedRun]]) -> list[str]:
    """The suite's name, numbered where it has several groups."""
    suites = [runs[0].manifest.suite for runs in groups]
    return [
        suite if suites.count(suite) == 1 else f"{suite} #{suites[: place + 1].count(suite)}"
        for place, suite in enumerate(suites)
    ]


def _group(runs: Sequence[GradedRun], name: str) -> Group:
    kept = _newest(runs)
    manifest = runs[0].manifest
    head = next((run.summary.head for run, _ in kept if run.summary.head is not None), None)
    rules = {key: value for key, value in basis(manifest).items() if key not in ("suite", "version", "data")}
    higher = head is None or head.higher_is_better
    contest = Contest([run for run, _ in kept], higher)
    entries = [replace(_entry(run, earlier), **rank_range(contest, place)) for place, (run, earlier) in enumerate(kept)]
    return Group(
        name=name,
        suite=manifest.suite,
        title=manifest.title,
        version=manifest.suite_version,
        data=manifest.grading_fingerprint[1],
        rules=tuple(f"{key.partition(' ')[2]}: {_shown(value)}" for key, value in rules.items()),
        metric=head.metric if head else "",
        metric_title=head.title if head else "",
        unit=head.unit if head else "share",
        higher_is_better=higher,
        paired=contest.paired,
        entries=tuple(sorted(entries, key=lambda entry: (entry.rank is None, entry.rank, entry.row, entry.folder))),
    )


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _newest(runs: Sequence[GradedRun]) -> list[tuple[GradedRun, int]]:
    """One run a model and setting, complete if there is one, and how many others there are."""
    alike: dict[tuple[str, str, str], list[GradedRun]] = {}
    for run in runs:
        alike.setdefault(_entry(run, 0).row, []).append(run)
    return [
        (max(same, key=lambda run: (run.complete, run.manifest.started, str(run.folder.path))), len(same) - 1)
        for same in alike.values()
    ]


def _entry(run: GradedRun, earlier: int) -> Entry:
    summary, manifest = run.summary, run.manifest
    score, control = summary.score, summary.best_control
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
        control=control.value if control else None,
        skill=control.skill if control else None,
    )

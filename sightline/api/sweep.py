"""Python API of sweeps: one run per pixel budget on the same samples, then their comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sightline.api.evaluation import (
    ProgressOption,
    Result,
    check_new_folder,
    is_filled,
    make_progress,
    make_server,
    preview,
    resolve_call,
    run,
)
from sightline.core.config import RunConfig, check_combination
from sightline.core.errors import ConfigError, RunStoppedError, UsageError
from sightline.core.interfaces import Suite
from sightline.core.registry import find
from sightline.core.settings import expand_suffix
from sightline.inference.cost import CostEstimate
from sightline.reports.sweep_pages import sweep_markdown, write_sweep
from sightline.runs.comparison.sweep import (
    DEFAULT_BUDGETS,
    DEFAULT_MARGIN,
    Budget,
    Sweep,
    compare_budgets,
    sort_budgets,
)
from sightline.scoring.dataframes import TableResult

if TYPE_CHECKING:
    from sightline.models.launched_server import LaunchedServer


class SweepResult(TableResult, Struct, kw_only=True):
    """The runs of a sweep, their comparison, and why it stopped early if it did; as a table, one row per budget."""

    runs: dict[Budget, Result]
    sweep: Sweep | None = None
    """None where fewer than two budgets have a graded run."""
    folder: Path | None = None
    """Where report.json, report.md, sweep.png and sweep.svg are."""
    stopped: RunStoppedError | None = None

    @property
    def complete(self) -> bool:
        """Whether every valid sample has an answer at every budget."""
        return self.stopped is None and all(run.complete for run in self.runs.values())

    @property
    def knee(self) -> Budget:
        """The pixel budget at the knee; None also stands for images as they are."""
        return None if self.sweep is None else self.sweep.points[self.sweep.knee].max_pixels

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values."""
        plain: dict[str, Any] = {} if self.sweep is None else msgspec.to_builtins(self.sweep)
        return {"folder": str(self.folder or ""), "stopped": str(self.stopped or ""), **plain}

    def _rows(self) -> list[dict[str, Any]]:
        return _budget_rows(self.sweep) if self.sweep else []

    def __str__(self) -> str:
        return sweep_markdown(self.sweep) if self.sweep else str(self.stopped or "")


def _budget_rows(sweep: Sweep) -> list[dict[str, Any]]:
    return [
        {
            "max_pixels": point.max_pixels,
            "value": point.score.value if point.score else None,
            "low": point.score.low if point.score else None,
            "high": point.score.high if point.score else None,
            "difference": point.difference.value if point.difference else 0.0,
            "difference_low": point.difference.low if point.difference else 0.0,
            "difference_high": point.difference.high if point.difference else 0.0,
            "mean_pixels": point.mean_pixels,
            "tokens_per_request": point.tokens_per_request,
            "cost": point.usage.cost,
            "seconds_asking": point.seconds_asking,
            "is_knee": index == sweep.knee,
            "folder": point.folder,
        }
        for index, point in enumerate(sweep.points)
    ]


def sweep(
    suite: str,
    *,
    max_pixels: Sequence[int | str | None] = DEFAULT_BUDGETS,
    margin: float = DEFAULT_MARGIN,
    out: str | Path | None = None,
    progress: ProgressOption = None,
    **settings: Any,
) -> SweepResult:
    """Run a model at several pixel budgets: `sweep("simulation", model="…", data="…", max_pixels=["100k", "400k"])`.

    Takes every setting of `evaluate`. Each budget is an ordinary run, which is resumed, or returned where it is
    finished. None or "none" among the budgets sends images as they are.
    """

    config, options, model = resolve_call(suite, settings)

    def run_budget(config: RunConfig, server: LaunchedServer | None) -> Result:
        return run(find("suites", suite)(options), config, make_progress(progress), model, server)

    return run_sweep(config, parse_budgets(max_pixels), run_budget, margin, Path(out) if out else None)


def parse_budgets(texts: Sequence[int | str | None]) -> list[Budget]:
    """Pixel budgets as they are typed (`100k`, `1.5M`, `none`), in ascending order."""
    budgets: list[Budget] = []
    for text in texts:
        for word in text.split(",") if isinstance(text, str) else (text,):
            if word is None or (isinstance(word, str) and word.strip().lower() == "none"):
                budgets.append(None)
                continue
            value = expand_suffix(word) if isinstance(word, str) else word
            try:
                number = int(value)
            except ValueError:
                number = 0
            if number < 1:
                raise ConfigError(
                    "'{text}' is not a number of pixels.", hint="For example: --max-pixels 100k,400k,none", text=word
                )
            budgets.append(number)
    budgets = sort_budgets(budgets)
    if len(budgets) < 2:
        raise UsageError("A sweep needs two pixel budgets or more.", hint="--max-pixels 100k,200k,400k")
    return budgets


RunBudget = Callable[[RunConfig, "LaunchedServer | None"], Result]
"""Runs one budget: the settings with its `max_pixels`, and the server of `--launch`, which all budgets share."""


def run_sweep(
    config: RunConfig,
    budgets: Sequence[Budget],
    run_budget: RunBudget,
    margin: float = DEFAULT_MARGIN,
    out: Path | None = None,
) -> SweepResult:
    """Run all budgets one after the other, until one is stopped, compare them and write the report.

    Without `out` the report is written into the folder `sweep` inside the run of the largest budget. The report of
    another sweep is not overwritten: the folder then gets a number.
    """
    configs = _budget_configs(config, budgets)
    if out is not None and _read_report(out) is None:
        check_new_folder(out)
    result = SweepResult(runs={})
    with make_server(config) as server:
        for budget in budgets:
            done = run_budget(configs[budget], server)
            result.runs[budget] = done
            if done.stopped is not None:
                result.stopped = done.stopped
                break
    folders = {budget: done.folder for budget, done in result.runs.items() if done.stopped is None}
    if len(folders) >= 2:
        result.sweep = compare_budgets(folders, margin)
        result.folder = _choose_folder(out or folders[sort_budgets(folders)[-1]] / "sweep", result.sweep)
        write_sweep(result.sweep, result.folder)
    return result


def _budget_configs(config: RunConfig, budgets: Sequence[Budget]) -> dict[Budget, RunConfig]:
    configs = {budget: replace(config, max_pixels=budget) for budget in budgets}
    for budget_config in configs.values():
        check_combination(budget_config)
    return configs


class _Report(Struct, kw_only=True):
    """What identifies the sweep of a report: its margin and its runs."""

    margin: float
    points: list[_ReportPoint]


class _ReportPoint(Struct):
    folder: str


def _read_report(folder: Path) -> _Report | None:
    """The sweep whose report is in a folder; None where there is none."""
    try:
        return msgspec.json.decode((folder / "report.json").read_bytes(), type=_Report)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _choose_folder(wanted: Path, sweep: Sweep) -> Path:
    """The folder of the report: `wanted`, or the same with a number where another sweep has its report there."""
    runs = {Path(point.folder).name for point in sweep.points}

    def is_usable(folder: Path) -> bool:
        report = _read_report(folder)
        if report is None:
            return not is_filled(folder)
        return report.margin == sweep.margin and {Path(point.folder).name for point in report.points} <= runs

    numbered = (wanted.with_name(f"{wanted.name}-{number}") for number in count(2))
    return next(filter(is_usable, chain([wanted], numbered)))


class BudgetEstimate(CostEstimate, kw_only=True):
    """Estimated size and cost of the run at one pixel budget."""

    max_pixels: Budget


class SweepTotal(Struct, kw_only=True):
    """Estimated size and cost of all budgets."""

    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None


class SweepEstimate(Struct, kw_only=True):
    """Estimated size and cost of a sweep; the runs of all budgets have the same samples."""

    budgets: list[BudgetEstimate]
    total: SweepTotal


def preview_sweep(suite: Suite, config: RunConfig, budgets: Sequence[Budget]) -> SweepEstimate:
    """Estimate the samples, tokens and cost of a sweep, for each budget and in total."""
    configs = _budget_configs(config, budgets)
    found = [
        BudgetEstimate(max_pixels=budget, **msgspec.structs.asdict(preview(suite, configs[budget])))
        for budget in budgets
    ]
    costs = [estimate.cost for estimate in found if estimate.cost is not None]
    total = SweepTotal(
        requests=sum(estimate.requests for estimate in found),
        tokens_in=sum(estimate.tokens_in for estimate in found),
        tokens_out=sum(estimate.tokens_out for estimate in found),
        cost=sum(costs) if costs else None,
    )
    return SweepEstimate(budgets=found, total=total)

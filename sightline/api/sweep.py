"""Python API of sweeps: one run per pixel budget on the same samples, then their comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sightline.api.evaluation import ProgressOption, Result, evaluate
from sightline.core.errors import ConfigError, RunStoppedError, UsageError
from sightline.core.settings import expand_suffix
from sightline.reports.sweep_pages import sweep_markdown, write_sweep
from sightline.runs.comparison.sweep import (
    DEFAULT_BUDGETS,
    DEFAULT_MARGIN,
    Budget,
    Sweep,
    compare_budgets,
    sort_budgets,
)
from sightline.scoring.dataframes import to_pandas


class SweepResult(Struct, kw_only=True):
    """The runs of a sweep, their comparison, and why the sweep stopped early if it did."""

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

    def to_dataframe(self) -> Any:
        """One row per budget, as a pandas DataFrame."""
        return to_pandas(_rows(self.sweep) if self.sweep else [])

    def __str__(self) -> str:
        return sweep_markdown(self.sweep) if self.sweep else str(self.stopped or "")


def _rows(sweep: Sweep) -> list[dict[str, Any]]:
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
            "is_best": index == sweep.best,
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

    def run_budget(budget: Budget) -> Result:
        return evaluate(suite, progress=progress, **{**settings, "max_pixels": budget})

    return run_sweep(parse_budgets(max_pixels), run_budget, margin, Path(out) if out else None)


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


def run_sweep(
    budgets: Sequence[Budget],
    run_budget: Callable[[Budget], Result],
    margin: float = DEFAULT_MARGIN,
    out: Path | None = None,
) -> SweepResult:
    """Run all budgets one after the other, until one is stopped, compare them and write the report.

    Without `out` the report is written into the folder `sweep` inside the run of the largest budget.
    """
    result = SweepResult(runs={})
    for budget in budgets:
        run = run_budget(budget)
        result.runs[budget] = run
        if run.stopped is not None:
            result.stopped = run.stopped
            break
    folders = {budget: run.folder for budget, run in result.runs.items() if run.stopped is None}
    if len(folders) >= 2:
        result.sweep = compare_budgets(folders, margin)
        result.folder = out or folders[sort_budgets(folders)[-1]] / "sweep"
        write_sweep(result.sweep, result.folder)
    return result

"""Sweep over pixel budgets: the same samples at several image sizes, compared pairwise, and the knee of the curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import DataError
from sightline.core.records import Estimate, Picture, Remark, Unit
from sightline.data.json_decoding import JsonDecoder
from sightline.inference.journal import journal_files
from sightline.runs.comparison.compare import compare_runs
from sightline.runs.comparison.graded_runs import load_graded_run
from sightline.runs.comparison.records import Difference, Measure
from sightline.scoring.summary import Usage

DEFAULT_BUDGETS = (100_000, 200_000, 400_000, 800_000, 1_600_000)
DEFAULT_MARGIN = 0.02
Budget = int | None
"""Maximum pixels of an image; None: images as they are."""


class SweepPoint(Struct, frozen=True, kw_only=True):
    """The run at one pixel budget."""

    max_pixels: Budget
    folder: str
    complete: bool
    samples: int
    score: Estimate | None
    """The headline estimate of the run, with its own interval."""
    difference: Difference | None = None
    """The paired difference to the best budget; None for the best budget itself."""
    usage: Usage
    seconds_asking: float = 0.0
    images: int = 0
    mean_pixels: float | None = None
    """Mean pixels of the images that were sent."""

    @property
    def tokens_per_request(self) -> float | None:
        """Prompt tokens per request; None where the server reports none."""
        asked = self.usage.requests
        return self.usage.tokens_in / asked if asked and self.usage.tokens_in else None

    def is_within(self, margin: float) -> bool:
        """Whether the budget is not worse than the best one by more than the margin, with 95 % confidence."""
        if self.difference is None:
            return True
        return self.difference.low is not None and self.difference.low > -margin

    def is_undecided(self, margin: float) -> bool:
        """Whether the interval shows neither that the budget is within the margin nor that it is beyond."""
        if self.difference is None or self.difference.low is None or self.difference.high is None:
            return self.difference is not None
        return self.difference.low <= -margin <= self.difference.high


class Sweep(Struct, frozen=True, kw_only=True):
    """All budgets in ascending order, the best one, and the knee."""

    suite: str
    model: str
    metric: str
    """Title of the headline metric."""
    unit: Unit
    measure: Measure
    """The measure of the paired differences."""
    margin: float
    points: tuple[SweepPoint, ...]
    best: int
    """Index of the best budget: the highest measure on the shared samples, the smallest of equals."""
    knee: int
    """Index of the smallest budget whose interval of the paired difference to the best lies above −margin."""
    notes: tuple[Remark, ...] = ()


def compare_budgets(runs: Mapping[Budget, Path], margin: float = DEFAULT_MARGIN) -> Sweep:
    """Compare runs of the same samples at several pixel budgets."""
    budgets = sort_budgets(runs)
    folders = [runs[budget] for budget in budgets]
    if len(folders) < 2:
        raise DataError("A sweep needs two pixel budgets or more.", hint="--max-pixels 100k,200k,400k")
    first = compare_runs(folders)
    # on the samples that each shares with the first
    values = [_or_lowest(first.versus[0].main.first), *(_or_lowest(pair.main.second) for pair in first.versus)]
    best = values.index(max(values))
    others = [index for index in range(len(folders)) if index != best]
    comparison = compare_runs([folders[best], *(folders[index] for index in others)])
    differences = {index: pair.main for index, pair in zip(others, comparison.versus, strict=True)}
    points = tuple(
        replace(_describe_run(budget, runs[budget]), difference=differences.get(index))
        for index, budget in enumerate(budgets)
    )
    head = load_graded_run(folders[best]).summary.head
    return Sweep(
        suite=comparison.sides[0].suite,
        model=comparison.sides[0].model,
        metric=head.title if head is not None else "",
        unit=head.unit if head is not None else "share",
        measure=comparison.versus[0].measure,
        margin=margin,
        points=points,
        best=best,
        knee=find_knee(points, margin),
        notes=tuple(_notes(points, best, margin)),
    )


def _or_lowest(value: float | None) -> float:
    return -1.0 if value is None else value


def sort_budgets(budgets: Mapping[Budget, Any] | Sequence[Budget]) -> list[Budget]:
    """Distinct budgets in ascending order; images as they are come last."""
    return sorted(dict.fromkeys(budgets), key=lambda budget: (budget is None, budget or 0))


def find_knee(points: Sequence[SweepPoint], margin: float) -> int:
    """Index of the smallest budget that is not worse than the best by more than the margin (non-inferiority).

    The whole 95 % interval of its paired difference to the best budget lies above −margin. The best budget itself
    always qualifies, so with few samples, whose intervals are wide, the knee is the best budget.
    """
    return next(index for index, point in enumerate(points) if point.is_within(margin))


class _Line(Struct):
    type: str = ""
    pictures: tuple[Picture, ...] = ()


_decoder = JsonDecoder[_Line](_Line)


def _count_images(journal: Path) -> tuple[int, float | None]:
    """Number of images that were sent, and the mean of their pixels."""
    images = pixels = 0
    for path in journal_files(journal):
        with path.open("rb") as lines:
            for line in lines:
                try:
                    record = _decoder.decode(line)
                except msgspec.DecodeError:
                    continue
                for picture in record.pictures:
                    wide, high = picture.sent_size
                    images, pixels = images + 1, pixels + wide * high
    return images, pixels / images if images else None


def _describe_run(budget: Budget, path: Path) -> SweepPoint:
    run = load_graded_run(path)
    images, mean_pixels = _count_images(run.folder.journal)
    return SweepPoint(
        max_pixels=budget,
        folder=str(path),
        complete=run.complete,
        samples=run.summary.samples,
        score=run.summary.score,
        usage=run.summary.usage,
        seconds_asking=run.manifest.seconds_asking,
        images=images,
        mean_pixels=mean_pixels,
    )


def _notes(points: Sequence[SweepPoint], best: int, margin: float) -> list[Remark]:
    notes = []
    for point in points:
        if not point.complete:
            args = {"budget": describe_budget(point.max_pixels, with_unit=True)}
            notes.append(
                Remark("{budget}: the run is incomplete; compared are the samples that both runs answered.", args)
            )
    if not any(point.images for point in points):
        notes.append(Remark("No image was sent: the budgets make no difference."))
    else:
        same = [point for point in points if point.mean_pixels == points[-1].mean_pixels]
        if len(same) > 1:
            args = {"budget": describe_budget(same[0].max_pixels, with_unit=True)}
            notes.append(Remark("From {budget} on, all budgets sent the same images: none is larger.", args))
    undecided = [point for point in points[:best] if point.is_undecided(margin)]
    if undecided:
        figures = {
            "budgets": ", ".join(str(describe_budget(point.max_pixels)) for point in undecided),
            "margin": f"{100 * margin:g}",
        }
        notes.append(
            Remark(
                "Undecided: {budgets}. The interval of the difference to the best budget contains −{margin} points: "
                "more samples, or a larger --margin, are needed to tell whether the budget is as good.",
                figures,
            )
        )
    return notes


def describe_budget(budget: Budget, with_unit: bool = False) -> Remark:
    """A budget as text: its pixels, or that images are sent as they are."""
    if budget is None:
        return Remark("original size")
    return Remark("{count} pixels", {"count": f"{budget:,}"}) if with_unit else Remark("{n}", {"n": f"{budget:,}"})

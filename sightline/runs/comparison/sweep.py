"""Sweep over pixel budgets: the same samples at several image sizes, compared pairwise, and the knee of the curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import DataError
from sightline.core.records import Estimate, Picture, Unit
from sightline.core.remarks import Remark, join_remarks
from sightline.data.json_decoding import JsonDecoder
from sightline.inference.journal import journal_files
from sightline.runs.comparison.compare import compare_runs
from sightline.runs.comparison.graded_runs import load_graded_run
from sightline.runs.comparison.records import SIGNIFICANCE_LEVEL, Difference, Measure
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
    """The paired difference to the largest budget; None for the largest budget itself."""
    usage: Usage
    seconds_asking: float = 0.0
    images: int = 0
    mean_pixels: float | None = None
    """Mean pixels of the images that were sent."""
    same_images: bool = False
    """Whether it sent the same images as the largest budget: then only chance can make a difference."""

    @property
    def tokens_per_request(self) -> float | None:
        """Prompt tokens per request; None where the server reports none."""
        asked = self.usage.requests
        return self.usage.tokens_in / asked if asked and self.usage.tokens_in else None

    def is_within(self, margin: float) -> bool:
        """Whether the budget is not worse than the largest one by more than the margin (non-inferiority test)."""
        if self.difference is None or self.same_images:
            return True
        return self.difference.low is not None and self.difference.low > -margin

    def is_undecided(self, margin: float) -> bool:
        """Whether the interval shows neither that the budget is within the margin nor that it is beyond."""
        if self.difference is None or self.difference.low is None or self.difference.high is None:
            return self.difference is not None
        return self.difference.low <= -margin <= self.difference.high

    def is_better(self) -> bool:
        """Whether the budget is significantly better than the largest one, corrected for all budgets (Holm)."""
        found = self.difference
        if found is None or found.value is None or found.p_holm is None:
            return False
        return found.value > 0 and found.p_holm < SIGNIFICANCE_LEVEL


class Sweep(Struct, frozen=True, kw_only=True):
    """All budgets in ascending order, the largest being the reference, and the knee."""

    suite: str
    model: str
    metric: str
    """Title of the headline metric."""
    unit: Unit
    measure: Measure
    """The measure of the paired differences."""
    margin: float
    points: tuple[SweepPoint, ...]
    knee: int
    """Index of the knee, as `find_knee` defines it."""
    notes: tuple[Remark, ...] = ()

    @property
    def largest(self) -> SweepPoint:
        """The largest budget, to which all others are compared."""
        return self.points[-1]


def compare_budgets(runs: Mapping[Budget, Path], margin: float = DEFAULT_MARGIN) -> Sweep:
    """Compare runs of the same samples at several pixel budgets."""
    budgets = sort_budgets(runs)
    folders = [runs[budget] for budget in budgets]
    if len(folders) < 2:
        raise DataError("A sweep needs two pixel budgets or more.", hint="--max-pixels 100k,200k,400k")
    # the reference is fixed before any reply is seen: the budget that happens to score highest would be flattered
    comparison = compare_runs([folders[-1], *folders[:-1]])
    differences = [pair.main for pair in comparison.versus]
    described = [_describe_run(budget, runs[budget]) for budget in budgets]
    sent = described[-1].images, described[-1].mean_pixels
    points = tuple(
        # a smaller budget never sends a larger image: with the same mean, all of them are the same
        replace(point, difference=difference, same_images=bool(sent[0]) and (point.images, point.mean_pixels) == sent)
        for point, difference in zip(described, [*differences, None], strict=True)
    )
    head = load_graded_run(folders[-1]).summary.head
    knee = find_knee(points, margin)
    return Sweep(
        suite=comparison.sides[0].suite,
        model=comparison.sides[0].model,
        metric=head.title if head is not None else "",
        unit=head.unit if head is not None else "share",
        measure=comparison.versus[0].measure,
        margin=margin,
        points=points,
        knee=knee,
        notes=tuple(describe_notes(points, knee, margin)),
    )


def sort_budgets(budgets: Mapping[Budget, Any] | Sequence[Budget]) -> list[Budget]:
    """Distinct budgets in ascending order; images as they are come last."""
    return sorted(dict.fromkeys(budgets), key=lambda budget: (budget is None, budget or 0))


def find_knee(points: Sequence[SweepPoint], margin: float) -> int:
    """Index of the knee: step down from the largest budget, and stop before the first that is not within the margin.

    Non-inferiority tests in a fixed order (closed testing): each smaller budget is tested against the largest one, and
    only if all budgets between them passed. So the probability of naming a budget that truly loses more than the
    margin is that of a single test, nominally 2.5 %, however many budgets there are. A budget that sends the same
    images as the largest one passes without a test. With few samples, whose intervals are wide, the knee is the largest
    budget.
    """
    knee = len(points) - 1
    while knee > 0 and points[knee - 1].is_within(margin):
        knee -= 1
    return knee


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


def describe_notes(points: Sequence[SweepPoint], knee: int, margin: float) -> list[Remark]:
    """Remarks on incomplete runs, equal images, and budgets that are undecided or better than the largest."""
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
        same = [point for point in points if point.same_images]
        if len(same) > 1:
            args = {"budget": describe_budget(same[0].max_pixels, with_unit=True)}
            notes.append(Remark("From {budget} on, all budgets sent the same images: none is larger.", args))
    if knee > 0 and points[knee - 1].is_undecided(margin):
        budget = describe_budget(points[knee - 1].max_pixels, with_unit=True)
        figures = {"budget": budget, "margin": f"{100 * margin:g}"}
        notes.append(
            Remark(
                "{budget}: undecided. The interval of the difference to the largest budget contains −{margin} points: "
                "more samples, or a larger --margin, are needed to tell whether this budget is good enough.",
                figures,
            )
        )
    better = [point for point in points[:-1] if point.is_better()]
    if better:
        names = join_remarks([describe_budget(point.max_pixels) for point in better], ", ")
        notes.append(
            Remark(
                "Significantly better than the largest budget: {budgets}. The knee is measured against the largest "
                "budget all the same.",
                {"budgets": names},
            )
        )
    return notes


def describe_budget(budget: Budget, with_unit: bool = False) -> Remark:
    """A budget as text: its pixels, or that images are sent as they are."""
    if budget is None:
        return Remark("original size")
    return Remark("{count} pixels", {"count": f"{budget:,}"}) if with_unit else Remark("{n}", {"n": f"{budget:,}"})

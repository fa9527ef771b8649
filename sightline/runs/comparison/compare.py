"""Paired comparison of runs with a reference run on the same samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import UnsetType
from msgspec.structs import replace

from sightline.core.errors import DataError, UsageError
from sightline.core.remarks import Remark
from sightline.runs.comparison.figures import compare_figures, has_other_figures
from sightline.runs.comparison.graded_runs import GradedRun, find_differences, load_graded_run
from sightline.runs.comparison.grades_database import PairedGrades, PairedSums, ReferenceRun, open_database
from sightline.runs.comparison.records import (
    ComparedRun,
    Comparison,
    Difference,
    FigureDifference,
    Flip,
    Measure,
    PairwiseComparison,
    Slice,
)
from sightline.runs.manifest import recorded_repeats
from sightline.scoring.grades.influences import read_influences
from sightline.stats.paired import (
    Spread,
    benjamini_hochberg,
    clustered_shares,
    holm,
    independent_shares,
    least_detectable,
    least_detectable_by_error,
    mcnemar_mid_p,
    paired_difference,
)

MAX_LISTED_FLIPS = 10
"""Flips per direction that the comparison itself lists."""
FlipSink = Callable[[str, Iterator[Flip]], None]


def compare_runs(runs: Sequence[str | Path], force: bool = False, flip_sink: FlipSink | None = None) -> Comparison:
    """Compare each run with the first one, on the samples that both answered.

    Runs with different data, suites, versions, options or selections raise `DataError` unless `force`. `flip_sink`
    receives all flips of each run; the comparison itself lists the first few.
    """
    if len(runs) < 2:
        raise UsageError("A comparison needs two runs or more.", hint="sightline compare RUN_A RUN_B")
    graded_runs = [load_graded_run(Path(run)) for run in runs]
    letters = [chr(ord("A") + k) if k < 26 else f"R{k + 1}" for k in range(len(graded_runs))]
    reasons = _differences(graded_runs, letters)
    if reasons and not force:
        raise DataError(
            "These runs are not comparable:\n{differences}",
            hint="--force compares the shared samples anyway.",
            differences="\n".join(f"- {remark}" for remark in reasons),
        )
    comparisons = []
    with open_database() as base:
        first = ReferenceRun(base, graded_runs[0].folder)
        influences = read_influences(base, graded_runs[0].folder.influences)
        for other_run, letter in zip(graded_runs[1:], letters[1:], strict=True):
            has_repeats = any(recorded_repeats(run.manifest) > 1 for run in (graded_runs[0], other_run))
            pairs = PairedGrades(first, first.pair_with(other_run.folder), has_repeats)
            if not pairs.pairing.pairs:
                raise DataError(
                    "{first} and {second} have no answered sample in common.",
                    first=graded_runs[0].folder.path,
                    second=other_run.folder.path,
                )
            figures = compare_figures(
                graded_runs[0].summary,
                other_run.summary,
                (influences, read_influences(base, other_run.folder.influences)),
            )
            comparisons.append(replace(_compare_pair(pairs, letter, graded_runs[0].summary.headline), figures=figures))
            if flip_sink is not None:
                flip_sink(letter, pairs.flips())
    return Comparison(
        sides=tuple(_describe_run(other_run, letter) for other_run, letter in zip(graded_runs, letters, strict=True)),
        versus=_correct_p_values(comparisons),
        differences=tuple(reasons),
        notes=tuple(_notes(graded_runs, letters)),
    )


def _differences(graded_runs: Sequence[GradedRun], letters: Sequence[str]) -> list[Remark]:
    """List the reasons why the runs are not comparable; the pair is named if there are more than two runs."""
    reasons = []
    for run, letter in zip(graded_runs[1:], letters[1:], strict=True):
        for remark in find_differences(graded_runs[0].manifest, run.manifest):
            if len(graded_runs) > 2:
                remark = Remark("{pair}: {what}", {"pair": f"{letters[0]}, {letter}", "what": remark})
            reasons.append(remark)
    return reasons


def _notes(graded_runs: Sequence[GradedRun], letters: Sequence[str]) -> Iterator[Remark]:
    for run, letter in zip(graded_runs, letters, strict=True):
        if has_other_figures(run.summary) and not run.folder.influences.is_file():
            yield Remark(
                "{run} has no influences.parquet, without which figures such as AP and F1 are not compared; "
                "sightline regrade writes it, for saved outputs sightline score.",
                {"run": letter},
            )
        if not run.complete:
            yield Remark("{run} is incomplete: some of its samples have no answer.", {"run": letter})
        head = run.summary.head
        if head is not None and not isinstance(head.lenient, UnsetType) and head.lenient.value is not None:
            strict, lenient = head.estimate.value or 0.0, head.lenient.value
            if lenient != strict:
                yield Remark(
                    "{run}: {lenient} % read leniently, {strict} % as asked. All differences here are of replies read "
                    "as asked, so they include what is lost to the format.",
                    {"run": letter, "lenient": f"{100 * lenient:.2f}", "strict": f"{100 * strict:.2f}"},
                )
    if any(recorded_repeats(run.manifest) > 1 for run in graded_runs):
        yield Remark(
            "Repeats are averaged per question; a question counts as right if more than half of its replies are."
        )
    prompts = {run.manifest.prompt_sha256 for run in graded_runs} - {""}
    if len(prompts) > 1:
        yield Remark("The runs used different prompts: the prompt of the first sample differs.")


def _describe_run(run: GradedRun, letter: str) -> ComparedRun:
    return ComparedRun(
        letter=letter,
        folder=str(run.folder.path),
        suite=run.manifest.suite,
        model=run.summary.model,
        params=run.summary.params,
        complete=run.complete,
        samples=run.summary.samples,
        coverage=run.summary.coverage,
        usage=run.summary.usage,
        seconds_asking=run.manifest.seconds_asking,
        deviations=tuple(run.manifest.deviations),
    )


def _compare_pair(pairs: PairedGrades, letter: str, headline: str) -> PairwiseComparison:
    total = pairs.total()
    measure: Measure = "accuracy" if pairs.is_binary or headline == "accuracy" else "mean_score"
    slices = [(scope, name, sums) for scope, by_name in pairs.slices() for name, sums in by_name.items()]
    return PairwiseComparison(
        first="A",
        second=letter,
        pairing=pairs.pairing,
        measure=measure,
        accuracy=_difference(total, "accuracy", pairs),
        mean_score=_difference(total, "mean_score", pairs),
        both_right=total.both_right,
        first_only=total.first_only,
        second_only=total.second_only,
        both_wrong=total.n - total.both_right - total.first_only - total.second_only,
        slices=tuple(
            Slice(
                scope=scope,
                name=name,
                first_only=sums.first_only,
                second_only=sums.second_only,
                difference=_difference(sums, measure, pairs),
            )
            for scope, name, sums in slices
        ),
        crowded=tuple(pairs.crowded),
        flips=tuple(pairs.flips(MAX_LISTED_FLIPS)),
    )


_SCORE_COLUMNS = {"accuracy": "correct", "mean_score": "score"}


def _spread(sums: PairedSums, measure: Measure, pairs: PairedGrades) -> Spread:
    """Compute the difference and its interval, with the method that fits weights, clusters and scale."""
    change, weight = sums.column(_SCORE_COLUMNS[measure]), sums.column("weight")
    if not pairs.has_equal_weights or not pairs.has_whole_counts or not (measure == "accuracy" or pairs.is_binary):
        return paired_difference(change, weight)
    if pairs.is_independent(sums):
        return independent_shares(sums.first_only, sums.second_only, sums.n)
    return clustered_shares(change / pairs.weight, weight / pairs.weight, sums.first_only, sums.second_only)


def _difference(sums: PairedSums, measure: Measure, pairs: PairedGrades) -> Difference:
    spread = _spread(sums, measure, pairs)
    weight = float(sums.column("weight").sum())
    earned, change = (float(sums.column(f"{side}{_SCORE_COLUMNS[measure]}").sum()) for side in ("first_", ""))
    first = earned / weight if weight > 0 else None
    second = None if first is None or spread.value is None else first + spread.value
    if pairs.has_repeats and weight > 0:  # rounded once, as the headline of the run is
        second = (earned + change) / weight
    is_exact = spread.test == "mcnemar exact"
    return Difference(
        measure=measure,
        first=first,
        second=second,
        value=spread.value,
        low=spread.low,
        high=spread.high,
        n=sums.n,
        clusters=sums.n if pairs.is_independent(sums) else spread.clusters,
        method=spread.method,
        p=spread.p,
        test=spread.test,
        mid_p=mcnemar_mid_p(sums.first_only, sums.second_only) if is_exact else None,
        least=_least_detectable(sums, spread, is_exact),
        weighted=not pairs.has_equal_weights,
    )


def _least_detectable(sums: PairedSums, spread: Spread, is_exact: bool) -> float | None:
    discordance = (sums.first_only + sums.second_only) / sums.n
    if is_exact:
        return least_detectable(sums.n, discordance)
    if spread.error is not None:
        return least_detectable_by_error(spread.error)
    return least_detectable(spread.clusters, discordance)


_Tested = TypeVar("_Tested", Difference, FigureDifference)


def _correct_p_values(comparisons: Sequence[PairwiseComparison]) -> tuple[PairwiseComparison, ...]:
    """Add Holm and Benjamini–Hochberg corrected p-values over all runs; those of slices over all slices of all runs."""
    accuracy = _with_corrections([comparison.accuracy for comparison in comparisons])
    mean_score = _with_corrections([comparison.mean_score for comparison in comparisons])
    figures = iter(_with_corrections([figure for comparison in comparisons for figure in comparison.figures]))
    slice_differences = iter(
        _with_corrections([item.difference for comparison in comparisons for item in comparison.slices])
    )
    return tuple(
        replace(
            comparison,
            accuracy=accuracy[index],
            mean_score=mean_score[index],
            slices=tuple(replace(item, difference=next(slice_differences)) for item in comparison.slices),
            figures=tuple(next(figures) for _ in comparison.figures),
        )
        for index, comparison in enumerate(comparisons)
    )


def _with_corrections(differences: Sequence[_Tested]) -> list[_Tested]:
    p_values = [difference.p for difference in differences]
    rows = zip(differences, holm(p_values), benjamini_hochberg(p_values), strict=True)
    return [replace(difference, p_holm=p_holm, p_bh=p_bh) for difference, p_holm, p_bh in rows]

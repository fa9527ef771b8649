"""Runs on the same samples against the first of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from sightline.core.errors import DataError, UsageError
from sightline.core.records import Remark
from sightline.runs.comparison.comparability import differences
from sightline.runs.comparison.grades import FirstRun, opened
from sightline.runs.comparison.load_run import GradedRun, load_graded
from sightline.runs.comparison.paired_sums import Pairs, Sums
from sightline.runs.comparison.records import Comparison, Difference, Flip, Measure, Side, Slice, Versus
from sightline.stats.corrections import benjamini_hochberg, holm
from sightline.stats.paired import (
    Spread,
    clustered_shares,
    independent_shares,
    least_detectable,
    least_detectable_by_error,
    mcnemar_mid_p,
    paired_difference,
)

SHOWN = 10
"""Samples that changed, either way, as the comparison itself names them."""
FlipSink = Callable[[str, Iterator[Flip]], None]


def compare(runs: Sequence[str | Path], force: bool = False, keep_flips: FlipSink | None = None) -> Comparison:
    """Each run against the first, on the samples that both answered.

    Runs of other data, suites, versions, options or selections are refused unless `force`. `keep_flips` is given all
    samples that changed, run by run; the comparison itself names the first few.
    """
    if len(runs) < 2:
        raise UsageError("A comparison needs two runs or more.", hint="sightline compare RUN_A RUN_B")
    graded = [load_graded(Path(run)) for run in runs]
    letters = [_letter(place) for place in range(len(graded))]
    found = _differences(graded, letters)
    if found and not force:
        raise DataError(
            "These runs can't be compared as they are:\n{differences}",
            hint="--force compares the samples that they share all the same.",
            differences="\n".join(f"- {remark}" for remark in found),
        )
    versus = []
    with opened() as base:
        first = FirstRun(base, graded[0].folder)
        for one, letter in zip(graded[1:], letters[1:], strict=True):
            pairs = Pairs(first, first.pair_with(one.folder))
            if not pairs.pairing.pairs:
                raise DataError(
                    "{first} and {second} share no sample that both answered.",
                    first=graded[0].folder.path,
                    second=one.folder.path,
                )
            versus.append(_against(pairs, letter, graded[0].summary.headline))
            if keep_flips is not None:
                keep_flips(letter, pairs.flips())
    return Comparison(
        sides=tuple(_side(one, letter) for one, letter in zip(graded, letters, strict=True)),
        versus=_corrected(versus),
        differences=tuple(found),
        notes=tuple(_notes(graded, letters)),
    )


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else f"R{place + 1}"


def _differences(graded: Sequence[GradedRun], letters: Sequence[str]) -> list[Remark]:
    """What keeps the runs apart; the pair is named where there are more than two."""
    found = []
    for one, letter in zip(graded[1:], letters[1:], strict=True):
        for remark in differences(graded[0].manifest, one.manifest):
            if len(graded) > 2:
                remark = Remark("{pair}: {what}", {"pair": f"{letters[0]}, {letter}", "what": str(remark)})
            found.append(remark)
    return found


def _notes(graded: Sequence[GradedRun], letters: Sequence[str]) -> Iterator[Remark]:
    for one, letter in zip(graded, letters, strict=True):
        if not one.complete:
            yield Remark("{run} is incomplete: some of its samples have no answer.", {"run": letter})
    prompts = {one.manifest.prompt_sha256 for one in graded} - {""}
    if len(prompts) > 1:
        yield Remark("The runs were asked in different words: the prompt of their first sample differs.")


def _side(run: GradedRun, letter: str) -> Side:
    return Side(
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


def _against(pairs: Pairs, letter: str, headline: str) -> Versus:
    whole = pairs.whole()
    measure: Measure = "accuracy" if pairs.binary or headline == "accuracy" else "mean_score"
    slices = [(scope, name, sums) for scope, found in pairs.slices() for name, sums in found.items()]
    return Versus(
        first="A",
        second=letter,
        pairing=pairs.pairing,
        measure=measure,
        accuracy=_difference(whole, "accuracy", pairs),
        mean_score=_difference(whole, "mean_score", pairs),
        both_right=whole.both_right,
        first_only=whole.first_only,
        second_only=whole.second_only,
        both_wrong=whole.n - whole.both_right - whole.first_only - whole.second_only,
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
        flips=tuple(pairs.flips(SHOWN)),
    )


_KINDS = {"accuracy": "correct", "mean_score": "score"}


def _spread(sums: Sums, measure: Measure, pairs: Pairs) -> Spread:
    """The difference with its interval, by what is known of the samples."""
    moved, weight = sums.column(_KINDS[measure]), sums.column("weight")
    if not pairs.even or not (measure == "accuracy" or pairs.binary):
        return paired_difference(moved, weight)
    if pairs.plain(sums):
        return independent_shares(sums.first_only, sums.second_only, sums.n)
    return clustered_shares(moved / pairs.weight, weight / pairs.weight, sums.first_only, sums.second_only)


def _difference(sums: Sums, measure: Measure, pairs: Pairs) -> Difference:
    spread = _spread(sums, measure, pairs)
    weight = float(sums.column("weight").sum())
    first = float(sums.column(f"first_{_KINDS[measure]}").sum()) / weight if weight > 0 else None
    is_exact = spread.test == "mcnemar exact"
    return Difference(
        measure=measure,
        first=first,
        second=None if first is None or spread.value is None else first + spread.value,
        value=spread.value,
        low=spread.low,
        high=spread.high,
        n=sums.n,
        clusters=sums.n if pairs.plain(sums) else spread.clusters,
        method=spread.method,
        p=spread.p,
        test=spread.test,
        mid_p=mcnemar_mid_p(sums.first_only, sums.second_only) if is_exact else None,
        least=_least(sums, spread, is_exact),
    )


def _least(sums: Sums, spread: Spread, is_exact: bool) -> float | None:
    discordance = (sums.first_only + sums.second_only) / sums.n
    if is_exact:
        return least_detectable(sums.n, discordance)
    if spread.error is not None:
        return least_detectable_by_error(spread.error)
    return least_detectable(spread.clusters, discordance)


def _corrected(versus: Sequence[Versus]) -> tuple[Versus, ...]:
    """Holm's and Benjamini and Hochberg's p, over all runs; those of slices over the slices of all runs together."""
    accuracy = _with_corrections([one.accuracy for one in versus])
    mean_score = _with_corrections([one.mean_score for one in versus])
    parts = iter(_with_corrections([part.difference for one in versus for part in one.slices]))
    return tuple(
        replace(
            one,
            accuracy=accuracy[place],
            mean_score=mean_score[place],
            slices=tuple(replace(part, difference=next(parts)) for part in one.slices),
        )
        for place, one in enumerate(versus)
    )


def _with_corrections(found: Sequence[Difference]) -> list[Difference]:
    tested = [one.p for one in found]
    corrected = zip(found, holm(tested), benjamini_hochberg(tested), strict=True)
    return [replace(one, p_holm=strict, p_bh=lenient) for one, strict, lenient in corrected]

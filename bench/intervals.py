"""How often our 95 % intervals hold the truth, and how often our tests at 5 % raise a false alarm, as Markdown tables.

    python bench/intervals.py [--trials 2000] [--only figures|shares] [--jobs 2] [--population NAME]

Figures: of every task, in samples of 50, 400 and 5,000 pictures from populations whose figures are known
(`tests/stats/populations.py`), and of the differences between two models, paired by picture. 2,000 trials leave ±1
point of chance (two standard errors); samples of 5,000 pictures with shapes are drawn half as often. docs/statistics.md
has the table. Shares and tests: single samples exact, over everything that can happen; clusters in 4,000 simulated data
sets; docs/design/statistics.md has these tables. All of it takes about a quarter of an hour on two cores.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sightline.stats.paired import mcnemar, mcnemar_mid_p
from tests.stats import populations
from tests.stats import simulations as world

PICTURES = (50, 400, 5000)
LEVEL, NEAR = 0.95, 0.015
SLOW = {"instances", "grounding", *(name for name in populations.POPULATIONS if "detection" in name)}
CLUSTERS = (10, 20, 40)
CORRELATIONS = (0.1, 0.3, 0.5)


def show(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table; shares are shown in per cent."""
    print(f"\n**{title}**\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        cells = [f"{100 * cell:.1f}" if isinstance(cell, float) else str(cell) for cell in row]
        print("| " + " | ".join(cells) + " |", flush=True)


Job = tuple[str, bool, int, int]
"""Name of a population, whether differences are asked for, pictures of a sample, trials."""


def cover(job: Job) -> tuple[Job, dict[str, populations.Coverage]]:
    """How often the intervals of the figures of one population hold the truth."""
    name, is_paired, pictures, trials = job
    if is_paired:
        return job, populations.difference_coverage(name, pictures, trials)
    return job, populations.coverage(populations.population(name), pictures, trials)


def figures(trials: int, jobs: int, only: Sequence[str] = ()) -> None:
    """Every figure of every task, by itself and as a difference of two models."""
    wanted = [
        (name, is_paired, pictures, trials // 2 if pictures > 1000 and name in SLOW else trials)
        for is_paired, names in ((False, populations.POPULATIONS), (True, populations.PAIRS))
        for pictures in PICTURES
        for name in names
        if not only or name in only
    ]
    with get_context("spawn").Pool(jobs) as pool:
        found = {}
        for job, some in pool.imap_unordered(cover, sorted(wanted, key=lambda job: -job[2])):
            found[job] = some
            shown = ", ".join(f"{figure} {100 * one.held:.1f}" for figure, one in some.items())
            print(f"{len(found)}/{len(wanted)} {job}: {shown}", file=sys.stderr, flush=True)
    for is_paired, title in ((False, "Intervals of figures"), (True, "Intervals of differences, paired by picture")):
        names = dict.fromkeys(job[0] for job in wanted if job[1] is is_paired)
        show(title, ["pictures of", "figure", "truth", *map(str, PICTURES)], figure_rows(list(names), is_paired, found))
    outside = [
        f"{name}{' (difference)' if is_paired else ''}, {pictures} pictures: {figure} {100 * one.held:.1f} %"
        for (name, is_paired, pictures, trials), some in sorted(found.items())
        for figure, one in some.items()
        if abs(one.held - LEVEL) > NEAR + 2 * (LEVEL * (1 - LEVEL) / trials) ** 0.5
    ]
    counted = sum(len(some) for some in found.values())
    print(
        f"\n{counted - len(outside)} of {counted} within 95 ± 1.5 % but for chance (two standard errors); the others:\n"
    )
    print("\n".join(f"- {line}" for line in outside))


def figure_rows(
    names: Sequence[str], is_paired: bool, found: dict[Job, dict[str, populations.Coverage]]
) -> Iterable[list[object]]:
    """A row per figure, with the coverage for each number of pictures."""
    for name in names:
        columns = [
            some
            for job in sorted(found, key=lambda job: job[2])
            if job[:2] == (name, is_paired)
            for some in (found[job],)
        ]
        if is_paired:
            first, second = (one.truths() for one in populations.pair(name))
            truths, title = {key: second[key] - first[key] for key in first}, populations.pair(name)[0].name
        else:
            truths, title = populations.population(name).truths(), populations.population(name).name
        for figure in columns[0]:
            yield [title, figure, f"{truths[figure]:.3f}", *(column[figure].held for column in columns)]


def shares() -> None:
    """Wilson's interval, by sample and by cluster, and of other figures between 0 and 1."""
    levels = (0.5, 0.8, 0.9, 0.95)
    names = [f"share {level:.2f}" for level in levels]
    samples = ([n, *(world.share_of_samples(n, level) for level in levels)] for n in (20, 50, 100, 200))
    show("Share of independent samples (Wilson)", ["samples", *names], samples)
    for title, coverage in (
        ("Share over clusters (Wilson, with as many samples as the clusters are worth)", world.share_of_clusters),
        ("F1 over clusters (Wilson, with the jackknife's error)", world.f1_of_clusters),
    ):
        rows = (
            [clusters, str(correlation), *(coverage(clusters, correlation, level) for level in levels)]
            for clusters in CLUSTERS
            for correlation in CORRELATIONS
        )
        show(title, ["clusters", "correlation", *names], rows)


def differences() -> None:
    """Tango's interval, by sample and by cluster, and Student's for scores."""
    worlds = [(n, changed) for n in (50, 200, 1000) for changed in (2, 5, 10, 20)]
    won = (0.5, 0.8, 1.0)
    show(
        "Difference of two shares, independent samples (Tango); so many samples change on average",
        ["samples", "changed", *(f"better {100 * part:.0f} %" for part in won)],
        ([n, changed, *(world.pairs_of_samples(n, changed, part) for part in won)] for n, changed in worlds),
    )
    parts = [(0.1, 0.5), (0.1, 0.8), (0.3, 0.5), (0.3, 0.8)]
    rows = []
    for clusters in CLUSTERS:
        for correlation in CORRELATIONS:
            found = [world.pairs_of_clusters(clusters, correlation, *part) for part in parts]
            truths = [changed * (2 * better - 1) for changed, better in parts]
            covered = [world.covered(world.reaches(one), truth) for one, truth in zip(found, truths, strict=True)]
            rows.append([clusters, str(correlation), *covered, world.refused(found[2])])
    names = [f"{100 * changed:.0f} % changed, {100 * better:.0f} % of it better" for changed, better in parts]
    show(
        "Difference of two shares over clusters (Tango); last, false alarms with 30 % changed",
        ["clusters", "correlation", *names, "p < 0.05"],
        rows,
    )
    rows = []
    for clusters in CLUSTERS:
        moved, equal = (world.scores_of_clusters(clusters, 0.3, difference) for difference in (0.05, 0.0))
        covered = [world.covered(world.reaches(moved), 0.05), world.covered(world.reaches(equal), 0.0)]
        rows.append([clusters, *covered, world.refused(equal)])
    show("Difference of mean scores over clusters (Student's t)", ["clusters", "+5 points", "equal", "p < 0.05"], rows)


def tests() -> None:
    """False alarms of McNemar's tests, and ranks."""
    rows = [
        [n, changed, world.refused_by_mcnemar(n, changed, mcnemar), world.refused_by_mcnemar(n, changed, mcnemar_mid_p)]
        for n in (50, 200)
        for changed in (5, 10, 20, 40)
    ]
    show("False alarms between equal models, independent samples", ["samples", "changed", "exact", "mid-p"], rows)
    contests = {"five equal models": [0.6] * 5, "0.5, 0.5, 0.5, 0.6, 0.7": [0.5, 0.5, 0.5, 0.6, 0.7]}
    lines = (
        [name, clusters, *world.ranks_hold(runs, clusters)] for name, runs in contests.items() for clusters in (10, 30)
    )
    show("Possible ranks hold the true ones", ["models", "clusters", "all at once", "each"], lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--only", choices=("figures", "shares"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--population", action="append", default=[], choices=populations.POPULATIONS)
    asked = parser.parse_args()
    if asked.only != "shares":
        figures(asked.trials, asked.jobs, asked.population)
    if asked.only != "figures":
        shares()
        differences()
        tests()

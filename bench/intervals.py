"""How often our 95 % intervals hold the truth, and how often our tests at 5 % raise a false alarm, as Markdown tables.

    python bench/intervals.py

Single samples: exact, over everything that can happen. Clusters: 4,000 simulated data sets a figure, with fixed seeds;
that leaves ±0.7 points of chance. It takes some minutes. docs/design/statistics.md has the tables.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sightline.stats.paired import mcnemar, mcnemar_mid_p
from tests.stats import simulations as world

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
    shares()
    differences()
    tests()

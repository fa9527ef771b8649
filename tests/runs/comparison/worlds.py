"""Run folders made of grades alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sightline.core.records import COUNTED, Grade
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.scoring.batch import batch_grades
from sightline.scoring.grades.writer import GradesWriter
from sightline.scoring.metrics.state import ACCURACY, MEAN_SCORE
from sightline.scoring.summary import Row, Summary, Usage, save_summary
from sightline.stats.influence import plain_estimate


def graded(scores: Sequence[float], clusters: int = 0, tasks: int = 1, **more: Any) -> list[Grade]:
    """One grade a score; with `clusters`, samples share so many of them."""
    return [
        Grade(
            sample=f"s{place}",
            task=f"task{place % tasks}",
            status="answered",
            score=score,
            cluster=f"c{place % clusters}" if clusters else "",
            tags={"half": "odd" if place % 2 else "even", "id": f"s{place}"},
            position=place,
            source=f"data.json#{place}",
            **more,
        )
        for place, score in enumerate(scores)
    ]


def make_run(path: Path, grades: Iterable[Grade], metric: str = "accuracy", **about: Any) -> Path:
    """A run folder with these grades; `about` changes the manifest."""
    grades = list(grades)
    path.mkdir(parents=True)
    folder = RunFolder(path)
    writer = GradesWriter(folder)
    headline = {"accuracy": ACCURACY, "mean_score": MEAN_SCORE}[metric]
    state = headline.state()
    for task in dict.fromkeys(grade.task for grade in grades):
        writer.add(batch_grades([grade for grade in grades if grade.task == task]))
    state.update(batch_grades([grade for grade in grades if grade.status in COUNTED]))
    writer.close()
    states = Counter(grade.status for grade in grades)
    facts: dict[str, Any] = {
        "suite": "simulation",
        "suite_version": "1",
        "title": "True/false questions on simulations",
        "model": path.name,
        "state": "finished",
        "started": f"2026-01-01T00:00:00 {path.name}",
        "seconds_asking": 12.5,
        "key": "",
        "data": "data",
        "data_sha256": "d" * 64,
        **about,
    }
    manifest = Manifest(**facts)
    manifest.save(folder.manifest)
    head = Row(
        scope="overall",
        name="",
        metric=metric,
        title=headline.title,
        core=True,
        estimate=plain_estimate(headline.compute(state)),
        baseline=None,
    )
    summary = Summary(
        suite=manifest.suite,
        title=manifest.title,
        model=manifest.model,
        params=manifest.params,
        headline=metric,
        samples=len(grades),
        statuses=dict(states),
        rows=[head],
        usage=Usage(requests=len(grades), tokens_in=1234, tokens_out=56, cost=0.75),
        deviations=manifest.deviations,
    )
    save_summary(summary, folder.report_json)
    assert all(grade.status in COUNTED or grade.status in ("failed", "invalid") for grade in grades)
    return path

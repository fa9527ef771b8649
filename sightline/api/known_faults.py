"""What each known fault of published scorers would report on the same files, beside the right figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from sightline.core.interfaces import ColumnSuite
from sightline.core.score_config import ScoreConfig
from sightline.reports.known_fault_pages import FaultyFigure, write_fault_pages
from sightline.scoring.files.progress import Watcher
from sightline.scoring.known_faults import KNOWN_FAULTS, KnownFault
from sightline.scoring.resolve import find_parser
from sightline.scoring.summary import Row, Summary

ScoreAll = Callable[[ScoreConfig], dict[str, Summary]]


def report_known_faults(
    config: ScoreConfig,
    suite: ColumnSuite,
    summaries: dict[str, Summary],
    score: ScoreAll,
    folder: Path,
    watch: Watcher,
) -> list[FaultyFigure]:
    """Score the files again with each fault that concerns their tasks, and write known_faults.html, .md and .csv."""
    figures: list[FaultyFigure] = []
    for number, fault in enumerate(KNOWN_FAULTS.values()):
        watch("known faults reproduced", number, len(KNOWN_FAULTS))
        tasks = _concerned_tasks(fault, suite, summaries)
        if not tasks:
            continue
        with TemporaryDirectory(prefix="sightline-") as place:
            quiet = {"vis": False, "known_faults": False, "collect_sample_details": False, "output_json": ""}
            faulty = score(replace(config, scoring=fault.name, output_dir=place, task=tasks, **quiet))
        for model, right in summaries.items():
            figures += _compare(fault, model, right, faulty[model])
    watch("known faults reproduced", len(KNOWN_FAULTS), len(KNOWN_FAULTS))
    write_fault_pages(figures, folder)
    return figures


def _concerned_tasks(fault: KnownFault, suite: ColumnSuite, summaries: dict[str, Summary]) -> tuple[str, ...]:
    """The tasks of the files whose figures the fault can change."""
    scored = dict.fromkeys(row.name for summary in summaries.values() for row in summary.rows_of("task"))
    return tuple(name for name in scored if fault.concerns(find_parser(suite.table.find(name).parser)))


def _compare(fault: KnownFault, model: str, right: Summary, faulty: Summary) -> Iterator[FaultyFigure]:
    """The core figures of every task that both have."""
    others: dict[tuple[str, str], Row] = {(row.name, row.metric): row for row in faulty.rows_of("task")}
    for row in right.rows_of("task"):
        if row.core and (other := others.get((row.name, row.metric))) is not None:
            yield FaultyFigure(model=model, fault=fault, right=row, reported=other.estimate.value)

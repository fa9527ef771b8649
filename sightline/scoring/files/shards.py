"""A shard: some batches of one task, graded anywhere, and kept under a key that follows from its content.

The key is a hash of all that decides the result: the texts, the task, the survey, the settings, the version. So whoever
asks for the same again, in another process, on another day or after a crash, finds it done.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from sightline.core.errors import JournalError
from sightline.core.interfaces import Task
from sightline.core.run_paths import RunPaths
from sightline.core.score_config import ScoreConfig
from sightline.data.lines.index import LineIndex, RowSubset
from sightline.data.storage import parse_path
from sightline.scoring.batch import ReplyBatch, SampleBatch
from sightline.scoring.evaluator_codec import DamagedStateError, pack, unpack_survey
from sightline.scoring.files.batches import BatchSpec, read_batch, score_batch
from sightline.scoring.files.store import Store, seal
from sightline.scoring.files.suite_lookup import column_suite
from sightline.scoring.grades.writer import GradesWriter
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task

MOST, LEAST = 8, 2
"""Batches a shard."""
_FORMAT = 5
"""To be raised with every change of what a shard's folder holds."""
T = TypeVar("T")


class Shard(Struct, frozen=True, kw_only=True):
    """What a worker needs to grade some rows."""

    config: ScoreConfig
    suite: str
    survey: str
    """The name of the task's survey in the store; empty: it needs none."""
    store: str
    annotation: RowSubset
    output: RowSubset
    places: tuple[BatchSpec, ...]
    """Rows and partners are those of the two parts."""

    @property
    def samples(self) -> int:
        """How many samples it has."""
        return sum(len(place.rows) for place in self.places)


class Receipt(Struct, frozen=True):
    """Where a shard's result is, and whether it was there already."""

    key: str
    was_there: bool


def cut(batches: list[T]) -> Iterator[list[T]]:
    """The batches of one task in one file by shards: towards the end smaller ones, so that workers end together.

    It depends on nothing else, neither on the workers nor on the rest of the job: whoever grades the same file again
    finds the same shards.
    """
    first = 0
    while first < len(batches):
        size = min(MOST, max(LEAST, (len(batches) - first) // 4))
        yield batches[first : first + size]
        first += size


def grade_shard(shard: Shard) -> Receipt:
    """Grade a shard unless that was done before."""
    store = Store(parse_path(shard.store))
    with shard.annotation.open() as annotation, shard.output.open() as output:
        batches = [read_batch(place, annotation, output) for place in shard.places]
        key = _key(shard, batches, annotation)
        if store.has(key):
            return Receipt(key, was_there=True)
        template = _template(shard.config, shard.suite, shard.places[0].task.name, shard.store, shard.survey)
        evaluator = template.empty_copy()
        with store.making(key) as folder:
            writer = GradesWriter(RunPaths(folder))
            try:
                for place, batch in zip(shard.places, batches, strict=True):
                    writer.add(score_batch(evaluator, *batch, place.with_details))
                writer.close()
            finally:
                writer.abandon()
            seal(folder, pack(evaluator))
    return Receipt(key, was_there=False)


@lru_cache(maxsize=32)
def _template(config: ScoreConfig, suite: str, task: str, store: str, survey: str) -> TaskEvaluator:
    """A fitted evaluator, made once per worker."""
    rules = column_suite(config, suite)
    by_name = {each.name: each for each in rules.table}
    template = TaskEvaluator(plan_column_task(by_name[task], rules.reading, config.calc_aux_metric))
    if survey:
        kept = Store(parse_path(store))
        try:
            unpack_survey(kept.read(survey), template)
        except DamagedStateError as error:
            raise JournalError(
                "The file {path} is damaged: {why}",
                hint="Remove it; the same command makes it again.",
                path=kept.path / survey,
                why=error,
            ) from None
    return template


def own_code(task: Task) -> tuple[str, ...]:
    """Hashes of the modules that the task names as `module:object`: other code may give other results."""
    names = {name.partition(":")[0] for name in (task.parser, *task.metrics, *task.auxiliary) if ":" in name}
    return tuple(_hash_of_module(name) for name in sorted(names))


@cache
def _hash_of_module(name: str) -> str:
    """As it is when it is first wanted: a process imports a module once."""
    source = getattr(import_module(name), "__file__", None)
    return hashlib.sha256(Path(source).read_bytes()).hexdigest() if source else ""


def _key(shard: Shard, batches: list[tuple[SampleBatch, ReplyBatch]], annotation: LineIndex) -> str:
    suite, config = column_suite(shard.config, shard.suite), shard.config
    place = shard.places[0]
    what = (
        version("sightline"),
        _FORMAT,
        suite.name,
        suite.version,
        shard.survey,
        config.calc_aux_metric,
        config.batch_size,
        place.file,
        own_code(place.task),
    )
    more = (msgspec.to_builtins(suite.reading), place.has_ids, place.with_sizes, place.with_details)
    total = hashlib.sha256(repr((what, more, msgspec.structs.asdict(place.task))).encode())
    for place, (samples, replies) in zip(shard.places, batches, strict=True):
        named = (annotation.texts(name, place.rows) for name in ("source", "sample_id"))
        for column in (samples.targets, replies.texts, *named):
            assert column is not None, "read from files"
            total.update(column.digest())
        arrays = (replies.replied, samples.clusters, samples.positions, samples.lines, samples.sizes)
        for array in arrays:
            total.update(b"" if array is None else array.tobytes())
        total.update(str(place.key).encode())
    return total.hexdigest()

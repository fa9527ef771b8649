"""Shards: batches of one task that any worker can grade, stored under a key derived from their content.

The key is a hash of all that decides the result: the texts, the task, the target statistics, the settings, the version.
So the same work is found done in another process, on another day or after a crash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import StorageError
from sightline.core.interfaces import Task
from sightline.core.run_paths import RunPaths
from sightline.core.score_config import ScoreConfig
from sightline.data.lines.index import LineIndex, RowSubset, subset_rows
from sightline.data.storage import AnyPath, parse_path
from sightline.scoring.batch import ReplyBatch, SampleBatch
from sightline.scoring.column_scorer import ColumnScorer
from sightline.scoring.engines import Engine
from sightline.scoring.evaluator_codec import (
    DamagedStateError,
    pack,
    pack_target_statistics,
    unpack,
    unpack_target_statistics,
)
from sightline.scoring.files.annotation_file import AnnotationFile, BatchSpec, Chunk, read_batch, score_batch
from sightline.scoring.files.model_results import Evaluators, FilePairIndex, ModelResults
from sightline.scoring.files.shard_store import Store, seal, unseal
from sightline.scoring.files.suite_lookup import column_suite
from sightline.scoring.grades.writer import GradesWriter
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task

if TYPE_CHECKING:
    from sightline.scoring.files.scoring_job import ScoringJob


MAX_BATCHES, MIN_BATCHES = 8, 2
"""Batches per shard."""
_FORMAT = 6
"""Version of the files in a shard folder."""
T = TypeVar("T")


class Shard(Struct, frozen=True, kw_only=True):
    """What a worker needs to grade some rows."""

    config: ScoreConfig
    suite: str
    target_statistics: str
    """The name of the statistics of the task's targets in the store; empty: it needs none."""
    store: str
    annotation: RowSubset
    output: RowSubset
    specs: tuple[BatchSpec, ...]
    """Rows and partners are those of the two parts."""

    @property
    def samples(self) -> int:
        """Number of samples."""
        return sum(len(spec.rows) for spec in self.specs)


def split_shards(batches: list[T]) -> Iterator[list[T]]:
    """The batches of one task in one file by shards: towards the end smaller ones, so that workers end together.

    It depends on nothing else, neither on the workers nor on the rest of the job: whoever grades the same file again
    finds the same shards.
    """
    first = 0
    while first < len(batches):
        size = min(MAX_BATCHES, max(MIN_BATCHES, (len(batches) - first) // 4))
        yield batches[first : first + size]
        first += size


def grade_shard(shard: Shard) -> str:
    """Grade a shard unless that was done before; returns its key in the store."""
    store = Store(parse_path(shard.store))
    with shard.annotation.open() as annotation, shard.output.open() as output:
        batches = [read_batch(spec, annotation, output) for spec in shard.specs]
        template = _template(shard.config, shard.suite, shard.specs[0].task.name, shard.store, shard.target_statistics)
        assert isinstance(template.scorer, ColumnScorer), "annotations are scored as columns"
        batches = [(template.scorer.with_sizes(*batch), batch[1]) for batch in batches]
        key = _key(shard, batches, annotation)
        if store.has(key):
            return key
        evaluator = template.empty_copy()
        with store.create(key) as folder:
            writer = GradesWriter(RunPaths(folder))
            try:
                for spec, batch in zip(shard.specs, batches, strict=True):
                    writer.add(score_batch(evaluator, *batch, spec.with_details))
                writer.close()
            finally:
                writer.close_logs()
            seal(folder, pack(evaluator))
    return key


@lru_cache(maxsize=32)
def _template(config: ScoreConfig, suite: str, task: str, store: str, statistics: str) -> TaskEvaluator:
    """A fitted evaluator, made once per worker."""
    rules = column_suite(config, suite)
    by_name = {each.name: each for each in rules.table}
    template = TaskEvaluator(plan_column_task(by_name[task], rules.reading, config.calc_aux_metric))
    if statistics:
        kept = Store(parse_path(store))
        try:
            unpack_target_statistics(kept.read(statistics), template)
        except DamagedStateError as error:
            raise StorageError(
                "The file {path} is damaged: {why}",
                hint="Delete it and rerun the same command.",
                path=kept.path / statistics,
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
    spec = shard.specs[0]
    what = (
        version("sightline"),
        _FORMAT,
        suite.name,
        suite.version,
        shard.target_statistics,
        config.calc_aux_metric,
        config.batch_size,
        spec.file,
        own_code(spec.task),
    )
    form = suite.reading.reply_format(spec.task, spec.model)
    more = (msgspec.to_builtins(suite.reading), form, spec.has_ids, spec.with_sizes, spec.with_details)
    total = hashlib.sha256(repr((what, more, msgspec.structs.asdict(spec.task))).encode())
    for spec, (samples, replies) in zip(shard.specs, batches, strict=True):
        named = (annotation.texts(name, spec.rows) for name in ("source", "sample_id"))
        for column in (samples.targets, replies.texts, *named):
            assert column is not None, "read from files"
            total.update(column.digest())
        arrays = (replies.replied, samples.clusters, samples.positions, samples.lines, samples.sizes)
        for array in arrays:
            total.update(b"" if array is None else array.tobytes())
        total.update(str(spec.key).encode())
    return total.hexdigest()


_MERGE_ERRORS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""Errors that merging a well-formed but invalid state may raise."""


class _SentShard(Struct, frozen=True):
    """A shard that was sent to the engine."""

    model: str
    task: str
    first: int
    """The position of its first sample."""
    samples: int


def grade_in_shards(
    job: ScoringJob,
    annotations: list[AnnotationFile],
    results: dict[str, ModelResults],
    templates: Evaluators,
    engine: Engine,
) -> None:
    """Grade every batch of every model on an engine."""
    config = job.config
    store = Store((parse_path(config.shards) if config.shards else parse_path(config.output_dir) / "shards").resolve())
    target_statistics = {name: _statistics_name(job, templates[name], digest) for name, digest in job.digests.items()}
    for name, statistics in target_statistics.items():
        store.write(statistics, pack_target_statistics(templates[name]))
    sent: list[_SentShard] = []
    keys: dict[int, str] = {}
    done = 0
    for end in engine.run(grade_shard, _shards(job, annotations, results, store, target_statistics, sent)):
        about = sent[end.number]
        if end.value is None:
            results[about.model].add_failure(about.samples, end.why)
        else:
            keys[end.number] = end.value
        done += about.samples
        job.watch("grading", done, job.total)
    for result in results.values():
        result.tasks = {name: template.empty_copy() for name, template in templates.items()}
    for number, key in sorted(keys.items()):
        about = sent[number]
        _merge_shard(store.local_folder(key, job.scratch), about, results[about.model], store.folder(key))


def _statistics_name(job: ScoringJob, task: TaskEvaluator, digest: str) -> str:
    """Name of a fitted state in the store: a hash of the targets and of all that affects fitting."""
    rules = (version("sightline"), msgspec.structs.asdict(task.task), msgspec.to_builtins(job.suite.reading))
    seen = (digest, rules, job.config.calc_aux_metric, own_code(task.task))
    return f"target-statistics-{hashlib.sha256(repr(seen).encode()).hexdigest()}"


def _shards(
    job: ScoringJob,
    annotations: list[AnnotationFile],
    results: Mapping[str, ModelResults],
    store: Store,
    target_statistics: Mapping[str, str],
    sent: list[_SentShard],
) -> Iterator[Shard]:
    """Yield all shards of the job, and record each in `sent`."""
    for result, pair, chunks in job.file_pairs(annotations, results):
        for task, some in groupby(chunks, key=lambda chunk: chunk.task.name):
            for batches in split_shards(list(some)):
                shard = _shard(job, result.model, pair, batches, target_statistics.get(task, ""), store)
                sent.append(_SentShard(result.model, task, int(shard.specs[0].positions[0]), shard.samples))
                yield shard


def _shard(
    job: ScoringJob, model: str, pair: FilePairIndex, chunks: list[Chunk], statistics: str, store: Store
) -> Shard:
    specs = [job.batch_spec(pair, chunk, model) for chunk in chunks]
    partners = np.concatenate([spec.partner for spec in specs])
    has_reply = partners >= 0
    own = np.where(has_reply, np.cumsum(has_reply) - 1, -1)  # each reply's row in the part of the outputs
    moved, first = [], 0
    for spec in specs:
        after = first + len(spec.rows)
        moved.append(replace(spec, rows=np.arange(first, after), partner=own[first:after]))
        first = after
    return Shard(
        config=job.config,
        suite=job.suite.name,
        target_statistics=statistics,
        store=store.address,
        annotation=subset_rows(pair.annotation.index, np.concatenate([chunk.rows for chunk in chunks])),
        output=subset_rows(pair.output, partners[has_reply]),
        specs=tuple(moved),
    )


def _merge_shard(folder: Path, about: _SentShard, result: ModelResults, home: AnyPath) -> None:
    """Merge a finished shard; `home` is its folder in the store, for error messages."""
    task = result.tasks[about.task]
    try:
        part = unpack(unseal(folder), task)
        task.merge(part)
    except (OSError, *_MERGE_ERRORS) as error:
        raise StorageError(
            "The shard {path} is damaged: {why}",
            hint="Delete that folder and rerun the same command.",
            path=home,
            why=error,
        ) from None
    part.close()
    result.writer.append_written(about.task, about.first, folder)
    result.samples += about.samples

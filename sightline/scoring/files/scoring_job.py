"""Scoring job over annotation files and model outputs: indexing, fitting, grading in threads or shards."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import TypeVar

from sightline.core.errors import DataError
from sightline.core.interfaces import ColumnSuite
from sightline.core.run_paths import RunPaths
from sightline.core.score_config import ScoreConfig
from sightline.data.lines import LineIndex, index_file
from sightline.data.pairing import FilePair, find_pairs
from sightline.data.storage import AnyPath, parse_path, redact
from sightline.data.storage.addresses import named_paths
from sightline.scoring.engines import Engine, open_engine
from sightline.scoring.files.annotation_file import (
    OUTPUT_FIELDS,
    OUTPUT_IDS,
    AnnotationFile,
    BatchSpec,
    Chunk,
    SampleLimits,
    pair_files,
)
from sightline.scoring.files.model_results import (
    Evaluators,
    FilePairIndex,
    ModelResults,
    locate_replies,
    record_annotation_faults,
    record_output_faults,
    save_indexes,
    without_lost_samples,
    without_replies,
)
from sightline.scoring.files.progress import ReadingMeter, Watcher
from sightline.scoring.files.shards import grade_in_shards, grade_shard
from sightline.scoring.files.threads import grade_in_threads, in_order
from sightline.scoring.grades.writer import GradesWriter
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task

C = TypeVar("C")


class ScoringJob:
    """Scores all files of all models; batches are graded in threads or in shards, depending on the engine."""

    def __init__(self, config: ScoreConfig, suite: ColumnSuite, watch: Watcher) -> None:
        self.config, self.suite, self.watch = config, suite, watch
        self._by_name = {task.name: task for task in suite.table}
        self._needs_sizes = suite.reading.needs_sizes
        self._outputs: dict[str, dict[AnyPath, FilePair]] = {}
        self.total = 0
        """Samples to be graded, of all models."""
        self._ahead: dict[AnyPath, Future[LineIndex]] = {}
        self.digests: dict[str, str] = {}
        """Hash of the targets that a task was fitted on."""
        self.scratch = Path()
        """Local temporary folder that exists until the grades are written."""
        for model, path in named_paths(config.model_result_path).items():
            pairs, _ = find_pairs(parse_path(config.anno_path), parse_path(path), config.pattern, config.recursive)
            self._outputs[model] = {pair.annotation: pair for pair in pairs}
        if not any(pair.output for pairs in self._outputs.values() for pair in pairs.values()):
            raise DataError(
                "No output file at {outputs} matches an annotation file at {annotations}.",
                hint="Outputs of NAME.txt are expected as NAME_output.txt, .jsonl or .json.",
                outputs=redact(", ".join(config.model_result_path)),
                annotations=redact(config.anno_path),
            )
        pairs = [pair for of_model in self._outputs.values() for pair in of_model.values()]
        files = [*dict.fromkeys(pair.annotation for pair in pairs), *(pair.output for pair in pairs if pair.output)]
        self._meter = ReadingMeter(files, watch)

    def run(self, folders: Mapping[str, RunPaths], summarize: Callable[[ModelResults], C]) -> dict[str, C]:
        """Grade everything; returns the result of `summarize` by model."""
        with ExitStack() as stack, ThreadPoolExecutor(self.config.threads) as threads:
            self.scratch = Path(stack.enter_context(TemporaryDirectory(prefix="sightline-")))
            engine = self._engine(stack)
            self._index_ahead(stack, threads)
            annotations = self._index_annotations(stack, threads)
            templates = self._templates(annotations, threads)
            results = {
                model: ModelResults(model=model, folder=folder, writer=GradesWriter(folder))
                for model, folder in folders.items()
            }
            self.total = len(results) * sum(
                len(rows) for annotation in annotations for rows in annotation.tasks.values()
            )
            try:
                if engine is None:
                    grade_in_threads(self, annotations, results, templates, threads)
                else:
                    grade_in_shards(self, annotations, results, templates, engine)
                # the grades are written while the metrics are computed
                writing = [threads.submit(result.writer.close) for result in results.values()]
                writing.append(
                    threads.submit(save_indexes, annotations, parse_path(self.config.anno_path), results.values())
                )
                summaries = {model: summarize(result) for model, result in results.items()}
                for job in writing:
                    job.result()
            finally:
                for result in results.values():
                    result.writer.close_logs()
                    result.writer.delete_temporary_files()
                    for task in result.tasks.values():
                        task.close()
        return summaries

    def _engine(self, stack: ExitStack) -> Engine | None:
        """Open the engine for shards, whose workers start while files are read. None: threads of this process."""
        config = self.config
        if config.engine == "threads":
            return None
        engine = open_engine(config.engine, config.threads, config.scheduler, grade_shard.__module__)
        stack.callback(engine.close)
        return engine

    def _index_ahead(self, stack: ExitStack, threads: ThreadPoolExecutor) -> None:
        """Index the first output file while the annotations are indexed: most jobs have one large file."""
        first = next((pair.output for pair in next(iter(self._outputs.values())).values()), None)
        if first is not None:
            made = threads.submit(self._index_output, first)
            self._ahead[first] = made
            stack.callback(_close, made)

    def _index_output(self, path: AnyPath) -> LineIndex:
        suite = self.suite
        return index_file(path, OUTPUT_FIELDS, suite.rename, self._meter.reader(), None, OUTPUT_IDS, suite.encoding)

    def _index_annotations(self, stack: ExitStack, threads: ThreadPoolExecutor) -> list[AnnotationFile]:
        """Index all annotation files and assign the positions of their samples."""
        limits = SampleLimits(self.config.limit_per_task, self.config.limit)
        pairs = list(next(iter(self._outputs.values())).values())
        more = self.suite, self._needs_sizes
        jobs = [
            threads.submit(AnnotationFile, pair.annotation, pair.name, *more, self._meter.reader()) for pair in pairs
        ]
        annotations, first = [], 0
        for job in jobs:
            annotation = job.result()
            stack.callback(annotation.index.close)
            annotation.first, first = first, first + annotation.index.row_count
            annotation.tasks = limits.take(annotation.tasks)
            annotations.append(annotation)
        return annotations

    def _chunks(self, annotations: list[AnnotationFile]) -> Iterator[tuple[AnnotationFile, list[Chunk]]]:
        """Yield the batches of every file, in a fixed order."""
        keys: Counter[str] = Counter()
        for annotation in annotations:
            yield annotation, list(annotation.chunks(self._by_name, self.config.batch_size, keys))

    def file_pairs(
        self, annotations: list[AnnotationFile], results: Mapping[str, ModelResults]
    ) -> Iterator[tuple[ModelResults, FilePairIndex, list[Chunk]]]:
        """Yield each annotation file with the outputs of each model; they stay open until the next pair."""
        for annotation, chunks in self._chunks(annotations):
            for model, result in results.items():
                path = self._outputs[model][annotation.path].output
                record_annotation_faults(annotation, result)
                if path is None:
                    result.replies.append(without_replies(annotation.name, annotation.index.row_count))
                    result.missing_outputs[annotation.name] = sum(len(chunk.rows) for chunk in chunks)
                    result.pending += result.missing_outputs[annotation.name]
                    continue
                ahead = self._ahead.pop(path, None)
                with self._index_output(path) if ahead is None else ahead.result() as output:
                    pair = FilePairIndex(
                        annotation=annotation, output=output, pairing=pair_files(annotation.index, output, self.suite)
                    )
                    record_output_faults(pair, path, result)
                    result.replies.append(locate_replies(pair, result.folder.path))
                    yield result, pair, without_lost_samples(pair, chunks, result)

    def batch_spec(self, pair: FilePairIndex, chunk: Chunk, model: str) -> BatchSpec:
        """Describe the rows of a batch."""
        annotation = pair.annotation
        return BatchSpec(
            task=chunk.task,
            file=annotation.name,
            key=chunk.key,
            rows=chunk.rows,
            partner=pair.pairing.partner[chunk.rows],
            positions=annotation.first + annotation.index.row_numbers[chunk.rows],
            clusters=annotation.clusters(chunk.rows),
            has_ids=annotation.has_ids,
            with_sizes=self._needs_sizes,
            with_details=self.config.collect_sample_details,
            size_table=self.suite.reading.image_sizes,
            model=model,
        )

    def _templates(self, annotations: list[AnnotationFile], threads: ThreadPoolExecutor) -> Evaluators:
        """Create one evaluator per task, fitted on all targets."""
        names = dict.fromkeys(name for annotation in annotations for name in annotation.tasks)
        made = {name: self._evaluator(name) for name in names}
        to_fit = {name for name, task in made.items() if task.needs_fit}
        if self.config.engine == "threads":
            for task in made.values():
                task.warm_up()
        pool: SimpleQueue[Evaluators] = SimpleQueue()
        pool.put(made)
        for _ in range(self.config.threads - 1):
            pool.put({name: self._evaluator(name) for name in names})
        jobs = [
            (annotation, chunk)
            for annotation, chunks in self._chunks(annotations)
            for chunk in chunks
            if chunk.task.name in to_fit
        ]
        hashed = {name: hashlib.sha256() for name in to_fit}

        def fit(job: tuple[AnnotationFile, Chunk]) -> tuple[str, bytes]:
            annotation, chunk = job
            truth = annotation.index.texts("gt", chunk.rows)
            evaluators = pool.get()
            try:
                evaluators[chunk.task.name].fit(truth, chunk.key)
            finally:
                pool.put(evaluators)
            return chunk.task.name, truth.digest() if self.config.engine != "threads" else b""

        for number, (name, digest) in enumerate(in_order(threads, fit, jobs, self.config.threads), 1):
            hashed[name].update(digest)
            self.watch("target batches read", number, len(jobs))
        self.digests = {name: sums.hexdigest() for name, sums in hashed.items()}
        fitted = pool.get()
        while not pool.empty():
            for name, task in pool.get().items():
                fitted[name].merge_fit(task)
        return fitted

    def _evaluator(self, name: str) -> TaskEvaluator:
        return TaskEvaluator(plan_column_task(self._by_name[name], self.suite.reading, self.config.calc_aux_metric))


def _close(made: Future[LineIndex]) -> None:
    """Close an index that was built in advance, if it was built and not used."""
    if not made.cancel() and made.exception() is None:
        made.result().close()

"""A scoring job: annotation files, models, and what must be known before the first batch is graded."""

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
from sightline.data.pairing import FilePair, find_pairs, pair_rows
from sightline.data.storage import AnyPath, parse_path, redact
from sightline.data.storage.addresses import named_paths
from sightline.scoring.engines import Engine, open_engine
from sightline.scoring.files.access import locate_replies, save_indexes, without_replies
from sightline.scoring.files.annotation_file import OUTPUT_FIELDS, OUTPUT_IDS, AnnotationFile, Chunk, SampleLimits
from sightline.scoring.files.batches import BatchSpec
from sightline.scoring.files.in_shards import grade_in_shards
from sightline.scoring.files.in_threads import grade_in_threads
from sightline.scoring.files.model_results import (
    Evaluators,
    FilePairIndex,
    ModelResults,
    note_output,
    note_sheet,
    without_torn,
)
from sightline.scoring.files.ordered_map import in_order
from sightline.scoring.files.progress import Watcher
from sightline.scoring.files.read_progress import ReadingMeter
from sightline.scoring.files.shards import grade_shard
from sightline.scoring.grades.writer import GradesWriter
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task

C = TypeVar("C")


class ScoringJob:
    """Knows all files; batches are graded in threads or in shards, by the engine that the settings name."""

    def __init__(self, config: ScoreConfig, suite: ColumnSuite, watch: Watcher) -> None:
        self.config, self.suite, self.watch = config, suite, watch
        self._by_name = {task.name: task for task in suite.table}
        self._needs_sizes = suite.reading.needs_sizes
        self._outputs: dict[str, dict[AnyPath, FilePair]] = {}
        self.strangers: dict[str, list[AnyPath]] = {}
        """Output files that belong to no annotation file, by model."""
        self.total = 0
        """Samples to be graded, of all models."""
        self._ahead: dict[AnyPath, Future[LineIndex]] = {}
        self.digests: dict[str, str] = {}
        """What the surveyed truths of a task hash to."""
        self.scratch = Path()
        """A folder of this machine that is there until the grades are written."""
        for model, path in named_paths(config.model_result_path).items():
            pairs, strangers = find_pairs(
                parse_path(config.anno_path), parse_path(path), config.pattern, config.recursive
            )
            self._outputs[model] = {one.annotation: one for one in pairs}
            self.strangers[model] = strangers
        if not any(one.output for pairs in self._outputs.values() for one in pairs.values()):
            raise DataError(
                "No output file at {outputs} belongs to an annotation file at {annotations}.",
                hint="The outputs of NAME.txt are looked for as NAME_output.txt, .jsonl or .json.",
                outputs=redact(", ".join(config.model_result_path)),
                annotations=redact(config.anno_path),
            )
        pairs = [one for of_model in self._outputs.values() for one in of_model.values()]
        files = [*dict.fromkeys(one.annotation for one in pairs), *(one.output for one in pairs if one.output)]
        self._meter = ReadingMeter(files, watch)

    def run(self, folders: Mapping[str, RunPaths], summarise: Callable[[ModelResults], C]) -> dict[str, C]:
        """Grade everything; what `summarise` makes of each model, by name."""
        with ExitStack() as stack, ThreadPoolExecutor(self.config.threads) as threads:
            self.scratch = Path(stack.enter_context(TemporaryDirectory(prefix="sightline-")))
            engine = self._engine(stack)
            self._look_ahead(stack, threads)
            sheets = self._sheets(stack, threads)
            templates = self._templates(sheets, threads)
            results = {
                model: ModelResults(model=model, folder=folder, writer=GradesWriter(folder))
                for model, folder in folders.items()
            }
            self.total = len(results) * sum(len(rows) for sheet in sheets for rows in sheet.tasks.values())
            try:
                if engine is None:
                    grade_in_threads(self, sheets, results, templates, threads)
                else:
                    grade_in_shards(self, sheets, results, templates, engine)
                # the grades are written while the figures are made
                writing = [threads.submit(one.writer.close) for one in results.values()]
                writing.append(
                    threads.submit(save_indexes, sheets, parse_path(self.config.anno_path), results.values())
                )
                summaries = {model: summarise(one) for model, one in results.items()}
                for job in writing:
                    job.result()
            finally:
                for one in results.values():
                    one.writer.abandon()
                    one.writer.discard()
                    for task in one.tasks.values():
                        task.close()
        return summaries

    def _engine(self, stack: ExitStack) -> Engine | None:
        """Where shards are graded; its workers get ready while files are read. None: in threads of this process."""
        config = self.config
        if config.engine == "threads":
            return None
        engine = open_engine(config.engine, config.threads, config.scheduler, grade_shard.__module__)
        stack.callback(engine.close)
        return engine

    def _look_ahead(self, stack: ExitStack, threads: ThreadPoolExecutor) -> None:
        """Index the first file of outputs beside the annotations: a job of one large file is the common one."""
        first = next((one.output for one in next(iter(self._outputs.values())).values()), None)
        if first is not None:
            made = threads.submit(self._index_output, first)
            self._ahead[first] = made
            stack.callback(_close, made)

    def _index(self, place: AnyPath) -> LineIndex:
        ahead = self._ahead.pop(place, None)
        return self._index_output(place) if ahead is None else ahead.result()

    def _index_output(self, place: AnyPath) -> LineIndex:
        return index_file(place, OUTPUT_FIELDS, self.suite.rename, self._meter.reader(), hashed=OUTPUT_IDS)

    def _sheets(self, stack: ExitStack, threads: ThreadPoolExecutor) -> list[AnnotationFile]:
        """All annotation files, indexed; the position of every sample is known."""
        limits = SampleLimits(self.config.limit_per_task, self.config.limit)
        pairs = list(next(iter(self._outputs.values())).values())
        jobs = [threads.submit(self._sheet, one) for one in pairs]
        sheets, first = [], 0
        for job in jobs:
            sheet = job.result()
            stack.callback(sheet.index.close)
            sheet.first, first = first, first + sheet.index.row_count
            sheet.keep_first(limits)
            sheets.append(sheet)
        return sheets

    def _sheet(self, one: FilePair) -> AnnotationFile:
        return AnnotationFile(one.annotation, one.name, self.suite, self._needs_sizes, self._meter.reader())

    def _chunks(self, sheets: list[AnnotationFile]) -> Iterator[tuple[AnnotationFile, list[Chunk]]]:
        """The batches of every file; the same each time."""
        keys: Counter[str] = Counter()
        for sheet in sheets:
            yield sheet, list(sheet.chunks(self._by_name, self.config.batch_size, keys))

    def turns(
        self, sheets: list[AnnotationFile], results: Mapping[str, ModelResults]
    ) -> Iterator[tuple[ModelResults, FilePairIndex, list[Chunk]]]:
        """Every annotation file with the outputs of every model that has some, which are open until the next turn."""
        for sheet, chunks in self._chunks(sheets):
            for model, one in results.items():
                place = self._outputs[model][sheet.path].output
                note_sheet(sheet, one)
                if place is None:
                    one.replies.append(without_replies(sheet.name, sheet.index.row_count))
                    one.absent[sheet.name] = sum(len(chunk.rows) for chunk in chunks)
                    one.pending += one.absent[sheet.name]
                    continue
                with self._index(place) as output:
                    turn = FilePairIndex(sheet=sheet, output=output, pairing=pair_rows(sheet.index, output))
                    note_output(turn, place, one)
                    one.replies.append(locate_replies(turn, one.folder.path))
                    yield one, turn, without_torn(turn, chunks, one)

    def place(self, turn: FilePairIndex, chunk: Chunk) -> BatchSpec:
        """Where a batch is."""
        sheet = turn.sheet
        return BatchSpec(
            task=chunk.task,
            file=sheet.name,
            key=chunk.key,
            rows=chunk.rows,
            partner=turn.pairing.partner[chunk.rows],
            positions=sheet.first + sheet.index.row_numbers[chunk.rows],
            clusters=sheet.clusters(chunk.rows),
            has_ids=sheet.has_ids,
            with_sizes=self._needs_sizes,
            with_details=self.config.collect_sample_details,
        )

    def _templates(self, sheets: list[AnnotationFile], threads: ThreadPoolExecutor) -> Evaluators:
        """An evaluator for every task there is, each fitted to all truths."""
        names = dict.fromkeys(name for sheet in sheets for name in sheet.tasks)
        made = {name: self._evaluator(name) for name in names}
        asked = {name for name, task in made.items() if task.needs_fit}
        if self.config.engine == "threads":
            for task in made.values():
                task.warm_up()
        pool: SimpleQueue[Evaluators] = SimpleQueue()
        pool.put(made)
        for _ in range(self.config.threads - 1):
            pool.put({name: self._evaluator(name) for name in names})
        jobs = [
            (sheet, chunk) for sheet, chunks in self._chunks(sheets) for chunk in chunks if chunk.task.name in asked
        ]
        hashed = {name: hashlib.sha256() for name in asked}

        def look(job: tuple[AnnotationFile, Chunk]) -> tuple[str, bytes]:
            sheet, chunk = job
            truth = sheet.index.texts("gt", chunk.rows)
            evaluators = pool.get()
            try:
                evaluators[chunk.task.name].fit(truth, chunk.key)
            finally:
                pool.put(evaluators)
            return chunk.task.name, truth.digest() if self.config.engine != "threads" else b""

        for number, (name, digest) in enumerate(in_order(threads, look, jobs, self.config.threads), 1):
            hashed[name].update(digest)
            self.watch("truths looked through", number, len(jobs))
        self.digests = {name: sums.hexdigest() for name, sums in hashed.items()}
        fitted = pool.get()
        while not pool.empty():
            for name, task in pool.get().items():
                fitted[name].merge_fit(task)
        return fitted

    def _evaluator(self, name: str) -> TaskEvaluator:
        return TaskEvaluator(plan_column_task(self._by_name[name], self.suite.reading, self.config.calc_aux_metric))


def _close(made: Future[LineIndex]) -> None:
    """Let an index go that may not have been taken, or made."""
    if not made.cancel() and made.exception() is None:
        made.result().close()

"""Grades every sample of every annotation file for every model: batches go to threads, results come back in order.

The kernels let go of the interpreter's lock, so threads are enough to use all cores; each has books of its own, which
are merged at the end. Sums are exact, so that the number of threads changes no digit.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from msgspec import Struct, field

from sightline.books.book import TaskBook
from sightline.books.rows import TaskRows
from sightline.contracts import ColumnSuite
from sightline.errors import DataError
from sightline.grading.columns.ledger import ColumnLedger, Entries
from sightline.runs.folder import RunFolder
from sightline.score_config import ScoreConfig
from sightline.scoring.sheet import OUTPUT_FIELDS, Chunk, Sheet, replies
from sightline.scoring.sizes import picture_sizes
from sightline.sources.file_pairs import FilePair, find_pairs
from sightline.sources.lines import LineIndex, index_file
from sightline.sources.pairing import Pairing, pair

Watcher = Callable[[str, int, int], None]
"""Told what is done, how much of it, and of how much."""
Books = dict[str, TaskBook]
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


class Tallied(Struct, kw_only=True):
    """What a model's outputs came to."""

    model: str
    folder: RunFolder
    ledger: ColumnLedger
    books: Books = {}
    """By task, once all are merged."""
    samples: int = 0
    pending: int = 0
    """Samples of annotation files that the model has no output file for."""
    invalid: int = 0
    """Lines that could not become samples."""
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By file and kind."""
    absent: list[str] = []
    """Annotation files without an output file."""
    ways: Counter[str] = field(default_factory=Counter)
    """How files were paired, counted."""


class _Turn(Struct, frozen=True, kw_only=True):
    """One annotation file and one model's outputs for it."""

    sheet: Sheet
    output: LineIndex
    pairing: Pairing
    pool: SimpleQueue[Books]


class Engine:
    """A scoring job: annotation files, models, the suite they are of."""

    def __init__(self, config: ScoreConfig, suite: ColumnSuite, watch: Watcher) -> None:
        self.config, self.suite, self.watch = config, suite, watch
        self._by_name = {task.name: task for task in suite.table}
        self._needs_sizes = "pixels" in (suite.reading.coords, suite.reading.truth_coords) and (
            suite.reading.coords != suite.reading.truth_coords
        )
        self._outputs: dict[str, dict[Path, FilePair]] = {}
        self.strangers: dict[str, list[Path]] = {}
        """Output files that belong to no annotation file, by model."""
        for model, path in config.models().items():
            pairs, strangers = find_pairs(Path(config.anno_path), path, config.pattern, config.recursive)
            self._outputs[model] = {one.annotation: one for one in pairs}
            self.strangers[model] = strangers
        if not any(one.output for pairs in self._outputs.values() for one in pairs.values()):
            raise DataError(
                "No output file at {outputs} belongs to an annotation file at {annotations}.",
                hint="The outputs of NAME.txt are looked for as NAME_output.txt, .jsonl or .json.",
                outputs=", ".join(config.model_result_path),
                annotations=config.anno_path,
            )

    def run(self, folders: dict[str, RunFolder], summarise: Callable[[Tallied], C]) -> dict[str, C]:
        """Grade everything; what `summarise` makes of each model, by name."""
        with ExitStack() as stack, ThreadPoolExecutor(self.config.threads) as threads:
            sheets = self._sheets(stack, threads)
            templates = self._templates(sheets, threads)
            tallied = {
                model: Tallied(model=model, folder=folder, ledger=ColumnLedger(folder))
                for model, folder in folders.items()
            }
            pools = {model: self._pool(templates) for model in folders}
            try:
                self._grade_all(sheets, tallied, pools, threads)
                # the grades are written while the figures are made
                writing = [threads.submit(one.ledger.close) for one in tallied.values()]
                for model, one in tallied.items():
                    one.books = _merged(pools[model])
                summaries = {model: summarise(one) for model, one in tallied.items()}
                for job in writing:
                    job.result()
            finally:
                for one in tallied.values():
                    one.ledger.abandon()
                    one.ledger.discard()
                    for book in one.books.values():
                        book.close()
        return summaries

    def _sheets(self, stack: ExitStack, threads: ThreadPoolExecutor) -> list[Sheet]:
        """All annotation files, indexed; the position of every sample is known."""
        pairs = list(next(iter(self._outputs.values())).values())
        jobs = [threads.submit(Sheet, one.annotation, one.name, self.suite, self._needs_sizes) for one in pairs]
        sheets, first = [], 0
        for number, job in enumerate(jobs, 1):
            sheet = job.result()
            stack.callback(sheet.index.close)
            sheet.first, first = first, first + sheet.index.places
            sheets.append(sheet)
            self.watch("reading", number, len(jobs))
        return sheets

    def _chunks(self, sheets: list[Sheet]) -> Iterator[tuple[Sheet, list[Chunk]]]:
        """The batches of every file; the same each time."""
        keys: Counter[str] = Counter()
        limit = self.config.limit
        left = {} if limit is None else dict.fromkeys(self._by_name, limit)
        for sheet in sheets:
            yield sheet, list(sheet.chunks(self._by_name, self.config.batch_size, keys, left))

    def _templates(self, sheets: list[Sheet], threads: ThreadPoolExecutor) -> Books:
        """A book for every task there is, each with its survey of all truths."""
        names = dict.fromkeys(name for sheet in sheets for name in sheet.tasks)
        pool: SimpleQueue[Books] = SimpleQueue()
        for _ in range(self.config.threads):
            pool.put({name: self._book(name) for name in names})
        asked = {name for name in names if self._book(name).needs_survey}
        jobs = [
            (sheet, chunk) for sheet, chunks in self._chunks(sheets) for chunk in chunks if chunk.task.name in asked
        ]

        def look(job: tuple[Sheet, Chunk]) -> None:
            sheet, chunk = job
            truth = sheet.index.texts("gt", chunk.rows)
            books = pool.get()
            try:
                books[chunk.task.name].survey(truth, chunk.key)
            finally:
                pool.put(books)

        for number, _ in enumerate(_in_order(threads, look, jobs, self.config.threads), 1):
            self.watch("reading", number, len(jobs))
        books = pool.get()
        while not pool.empty():
            for name, book in pool.get().items():
                books[name].merge_survey(book)
        return books

    def _book(self, name: str) -> TaskBook:
        return TaskBook(self._by_name[name], self.suite.reading, self.config.calc_aux_metric)

    def _pool(self, templates: Books) -> SimpleQueue[Books]:
        pool: SimpleQueue[Books] = SimpleQueue()
        for _ in range(self.config.threads):
            pool.put({name: book.fresh() for name, book in templates.items()})
        return pool

    def _grade_all(
        self,
        sheets: list[Sheet],
        tallied: dict[str, Tallied],
        pools: dict[str, SimpleQueue[Books]],
        threads: ThreadPoolExecutor,
    ) -> None:
        total = len(tallied) * sum(len(rows) for sheet in sheets for rows in sheet.tasks.values())
        done = 0
        for sheet, chunks in self._chunks(sheets):
            for model, one in tallied.items():
                place = self._outputs[model][sheet.path].output
                _note_sheet(sheet, one)
                if place is None:
                    one.absent.append(sheet.name)
                    one.pending += sum(len(chunk.rows) for chunk in chunks)
                    continue
                with index_file(place, OUTPUT_FIELDS, self.suite.rename) as output:
                    turn = _Turn(sheet=sheet, output=output, pairing=pair(sheet.index, output), pool=pools[model])
                    _note_output(turn, place, one)
                    for entries in _in_order(threads, partial(self._grade, turn), chunks, self.config.threads):
                        one.ledger.add(entries)
                        one.samples += len(entries.positions)
                        done += len(entries.positions)
                        self.watch("grading", done, total)

    def _grade(self, turn: _Turn, chunk: Chunk) -> Entries:
        """One batch, in a thread of its own."""
        sheet, rows = turn.sheet, chunk.rows
        truth = sheet.index.texts("gt", rows)
        reply, replied = replies(turn.output, turn.pairing, rows)
        batch = TaskRows(
            truth=truth,
            reply=reply,
            replied=replied,
            clusters=sheet.clusters(rows),
            key=chunk.key,
            sizes=picture_sizes(sheet.index, rows) if self._needs_sizes else None,
        )
        books = turn.pool.get()
        try:
            graded = books[chunk.task.name].grade(batch)
        finally:
            turn.pool.put(books)
        details = self.config.collect_sample_details
        return Entries(
            task=chunk.task.name,
            level=chunk.task.level,
            file=sheet.name,
            positions=sheet.first + sheet.index.order[rows],
            lines=sheet.index.lines[rows],
            samples=sheet.ids(rows),
            sources=sheet.index.texts("source", rows).strings(),
            graded=graded,
            truth=truth if details else None,
            reply=reply if details else None,
        )


def _note_sheet(sheet: Sheet, one: Tallied) -> None:
    """Lines of the annotation file that are no samples."""
    index = sheet.index
    one.faults.update({(sheet.name, kind): count for kind, count in index.fault_counts.items()})
    lost = index.places - len(index)
    one.invalid += lost
    one.samples += lost
    for fault in index.faults:
        if fault.kind != "invalid UTF-8":
            one.ledger.refuse(f"{sheet.path}:{fault.line}", "", fault.kind, f"{sheet.name}:{fault.line}")
    for name, rows in sheet.strange:
        one.invalid += len(rows)
        one.samples += len(rows)
        one.faults[f"{sheet.name}, '{name}'", "unknown task"] += len(rows)
        for source, line in zip(index.texts("source", rows).strings(), index.lines[rows].tolist(), strict=True):
            one.ledger.refuse(source, name, "unknown task", f"{sheet.name}:{line}")


def _note_output(turn: _Turn, place: Path, one: Tallied) -> None:
    """Outputs that could not be read, that nobody wanted, or that another replaced."""
    one.ways[turn.pairing.way] += 1
    output, pairing = turn.output, turn.pairing
    for fault in output.faults:
        one.ledger.complain(f"{place}:{fault.line}", "", fault.kind, "")
    told = {"output without a sample": pairing.left_over, "duplicate id": pairing.duplicates}
    for kind, count in output.fault_counts.items():
        one.faults[place.name, kind] += count
    for kind, rows in told.items():
        if len(rows):
            one.faults[place.name, kind] += len(rows)
        for line in output.lines[rows].tolist():
            one.ledger.complain(f"{place}:{line}", "", kind, "")


def _in_order(threads: ThreadPoolExecutor, work: Callable[[A], B], jobs: Iterable[A], width: int) -> Iterator[B]:
    """Results in the order of the jobs, with a few under way at a time."""
    under_way: deque[Future[B]] = deque()
    try:
        for job in jobs:
            under_way.append(threads.submit(work, job))
            if len(under_way) > 3 * width:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for left in under_way:
            left.cancel()


def _merged(pool: SimpleQueue[Books]) -> Books:
    """The books of all workers as one each."""
    books = pool.get()
    while not pool.empty():
        for name, book in pool.get().items():
            books[name].merge(book)
            book.close()
    return books

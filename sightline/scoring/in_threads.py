"""Batches go to threads, results come back in order.

The kernels let go of the interpreter's lock, so threads are enough to use all cores; each has books of its own, which
are merged at the end. Sums are exact, so that the number of threads changes no digit.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING

from sightline.grading.columns.ledger import Entries
from sightline.scoring.batches import grade_batch, read_batch
from sightline.scoring.order import in_order
from sightline.scoring.sheet import Chunk, Sheet
from sightline.scoring.tallied import Books, Tallied, Turn

if TYPE_CHECKING:
    from sightline.scoring.desk import Desk


def grade_in_threads(
    desk: Desk, sheets: list[Sheet], tallied: dict[str, Tallied], templates: Books, threads: ThreadPoolExecutor
) -> None:
    """Grade every batch of every model."""
    width = desk.config.threads
    pools = {model: _pool(templates, width) for model in tallied}
    done = 0
    for one, turn, chunks in desk.turns(sheets, tallied):
        work = partial(_grade, desk, turn, pools[one.model])
        for entries in in_order(threads, work, chunks, width):
            one.ledger.add(entries)
            one.samples += len(entries.positions)
            done += len(entries.positions)
            desk.watch("grading", done, desk.total)
    for model, one in tallied.items():
        one.books = _merged(pools[model])


def _grade(desk: Desk, turn: Turn, pool: SimpleQueue[Books], chunk: Chunk) -> Entries:
    """One batch, in a thread of its own."""
    place, annotation = desk.place(turn, chunk), turn.sheet.index
    batch = read_batch(place, annotation, turn.output)
    books = pool.get()
    try:
        return grade_batch(books[chunk.task.name], place, annotation, batch)
    finally:
        pool.put(books)


def _pool(templates: Books, width: int) -> SimpleQueue[Books]:
    pool: SimpleQueue[Books] = SimpleQueue()
    for _ in range(width):
        pool.put({name: book.fresh() for name, book in templates.items()})
    return pool


def _merged(pool: SimpleQueue[Books]) -> Books:
    """The books of all workers as one each."""
    books = pool.get()
    while not pool.empty():
        for name, book in pool.get().items():
            books[name].merge(book)
            book.close()
    return books

"""One batch of a task: its texts are read, graded by the task's book, and named."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.books.book import TaskBook
from sightline.books.rows import TaskRows
from sightline.contracts import Task
from sightline.grading.columns.ledger import Entries
from sightline.scoring.sheet import Rows, replies
from sightline.scoring.sizes import picture_sizes
from sightline.sources.lines import LineIndex


class Place(Struct, frozen=True, kw_only=True):
    """Which rows of which files a batch is, and what they are called."""

    task: Task
    file: str
    key: int
    """The batch's number within the task."""
    rows: Rows
    partner: Rows
    """The row of the output that belongs to each; −1: none."""
    positions: NDArray[np.int64]
    clusters: NDArray[np.uint64]
    has_ids: bool
    with_sizes: bool
    with_details: bool


def read_batch(place: Place, annotation: LineIndex, output: LineIndex) -> TaskRows:
    """The batch's texts."""
    reply, replied = replies(output, place.partner)
    return TaskRows(
        truth=annotation.texts("gt", place.rows),
        reply=reply,
        replied=replied,
        clusters=place.clusters,
        key=place.key,
        sizes=picture_sizes(annotation, place.rows) if place.with_sizes else None,
    )


def grade_batch(book: TaskBook, place: Place, annotation: LineIndex, batch: TaskRows) -> Entries:
    """Count the batch into a book that nobody else is writing to."""
    rows = place.rows
    return Entries(
        task=place.task.name,
        level=place.task.level,
        file=place.file,
        positions=place.positions,
        lines=annotation.lines[rows],
        samples=annotation.texts("sample_id", rows).strings() if place.has_ids else None,
        sources=annotation.texts("source", rows).strings(),
        graded=book.grade(batch),
        truth=batch.truth if place.with_details else None,
        reply=batch.reply if place.with_details else None,
    )

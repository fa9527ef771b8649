"""The grade of one reply: a batch of one through the task's book."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.books.book import TaskBook
from sightline.books.rows import STATES, TaskRows
from sightline.columns import TextColumn
from sightline.contracts import Reading, Task
from sightline.records import Grade, Sample


class Grader:
    """Grades single replies; a book for each task is made when it is first needed."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._books: dict[str, TaskBook] = {}

    def grade(self, task: Task, sample: Sample, text: str) -> Grade:
        """State, own score and values of a sample."""
        rows = TaskRows(
            truth=TextColumn.of([str(sample.target)]),
            reply=TextColumn.of([text]),
            replied=np.ones(1, bool),
            clusters=np.ones(1, np.uint64),
            sizes=None if sample.size is None else np.array([sample.size], np.float64),
        )
        graded = self._book(task).fresh().grade(rows)
        score = float(graded.scores[0])
        return Grade(
            sample=sample.id,
            task=sample.task,
            state=STATES[graded.states[0]],
            score=score,
            last_score=score,
            best_score=score,
            values={name: _plain(column[0]) for name, column in graded.values.items()},
            tags=sample.tags,
            cluster=sample.cluster,
            weight=sample.weight,
            note=graded.reasons[graded.notes[0]],
        )

    def has_coordinates(self, task: Task) -> bool:
        """Whether replies of the task are shapes in the picture."""
        return self._book(task).has_coordinates

    def truth_fault(self, task: Task, truth: str) -> str:
        """What is wrong with a truth; empty where nothing is."""
        read = self._book(task).parser.read(TextColumn.of([truth]))
        return str(read.reasons[read.errors[0]])

    def _book(self, task: Task) -> TaskBook:
        if task.name not in self._books:
            self._books[task.name] = TaskBook(task, self._reading, auxiliary=False)
        return self._books[task.name]


def _plain(value: Any) -> Any:
    number = value.item() if hasattr(value, "item") else value
    return None if number != number else number

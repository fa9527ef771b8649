"""Scorer of single replies, as batches of one."""

from __future__ import annotations

from sightline.core.interfaces import Reading, Task
from sightline.core.records import Answer, Attempt, Sample, Score
from sightline.data.columns import TextColumn
from sightline.scoring.batch import ReplyBatch, batch_samples, to_plain
from sightline.scoring.column_scorer import ColumnScorer, picture_scales
from sightline.scoring.parsers.references import read_truths
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task


class SingleReplyScorer:
    """Scores single replies; the evaluator of each task is created lazily."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._evaluators: dict[str, TaskEvaluator] = {}

    def score(self, task: Task, sample: Sample, text: str, answer: Answer | None = None) -> Score:
        """Score a reply to a sample; the answer that it comes from knows the size in which its image was sent."""
        samples = batch_samples(task, [0], [sample], as_columns=True)
        scales = None if answer is None else picture_scales([Attempt(answers=[answer])])
        replies = ReplyBatch(texts=TextColumn.of([text]), picture_scales=scales)
        scores = self._evaluator(task).empty_copy().update(samples, replies)
        return Score(
            value=float(scores.scores[0]),
            status=scores.status(0),
            details={name: to_plain(column[0]) for name, column in scores.details.items()},
            message=scores.message(0),
        )

    def has_coordinates(self, task: Task) -> bool:
        """Whether replies of the task contain image coordinates."""
        return self._scorer(task).has_coordinates

    def truth_fault(self, task: Task, truth: str) -> str:
        """Reason why a target can't be parsed; empty if it can."""
        parsed = read_truths(self._scorer(task).parser, TextColumn.of([truth]))
        return str(parsed.reasons[parsed.errors[0]])

    def _scorer(self, task: Task) -> ColumnScorer:
        scorer = self._evaluator(task).scorer
        assert isinstance(scorer, ColumnScorer), "annotations are scored as columns"
        return scorer

    def _evaluator(self, task: Task) -> TaskEvaluator:
        if task.name not in self._evaluators:
            self._evaluators[task.name] = TaskEvaluator(plan_column_task(task, self._reading, auxiliary=False))
        return self._evaluators[task.name]

"""Figures of repeated questions: pass@k, majority vote, consistency, worst repeat, and the variance split.

The mean itself and all other figures come from the evaluator, which takes every repeat as a reply of its own within the
question's cluster. Here the repeats of each question are looked at together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import msgspec
import numpy as np
from msgspec import Struct

from sightline.core.interfaces import Suite
from sightline.core.records import Attempt, Parsed, Remark
from sightline.scoring.batch import ANSWERED, ScoreBatch
from sightline.scoring.metrics.state import Credit, ratio, whole_score
from sightline.scoring.sample_scorer import usable
from sightline.scoring.summary import RepeatSummary, Row
from sightline.stats.cluster_sums import GroupSums
from sightline.stats.repeats import RepeatVariance, pairwise_agreement, pass_at_k

_encoder = msgspec.json.Encoder(enc_hook=str, order="deterministic")
_TITLES = {
    "majority_vote": Remark("Majority vote").text,
    "consistency": Remark("Consistency of repeats").text,
    "worst_repeat": Remark("Worst repeat").text,
}


class RepeatConfig(Struct, frozen=True):
    """What figures of repeats are made for."""

    repeats: int
    threshold: float = 1.0
    """The score from which a reply passes."""
    credit: Credit = whole_score
    """What a score is worth to the headline metric."""


class _Question(Struct, frozen=True):
    """The counted replies to one question."""

    cluster: int
    weight: float
    scores: list[float]
    answers: list[str | None]
    """Canonical answers; None where a reply has none."""


class RepeatState:
    """Mergeable sums over questions; a figure counts only questions with as many replies as it needs."""

    def __init__(self, config: RepeatConfig) -> None:
        self._config = config
        self._names = [*(f"pass@{k}" for k in range(1, config.repeats + 1)), *_TITLES]
        self._sums = {name: GroupSums(2) for name in self._names}
        self.variance = RepeatVariance()
        self.ties = 0
        """Questions whose vote was tied."""

    def add(self, questions: Sequence[_Question]) -> None:
        """Add the replies to some questions."""
        credit = self._config.credit
        found = [question for question in questions if question.scores]
        self.variance.add(
            [question.cluster for question in found],
            [question.weight for question in found],
            [[credit(score) for score in question.scores] for question in found],
        )
        values: dict[str, list[tuple[_Question, float]]] = {name: [] for name in self._names}
        for question in found:
            for name, value in self._figures(question).items():
                values[name].append((question, value))
        for name, pairs in values.items():
            clusters = np.array([question.cluster for question, _ in pairs], np.uint64)
            weights = np.array([question.weight for question, _ in pairs], np.float64)
            columns = np.array([(value, 1.0) for _, value in pairs], np.float64)
            self._sums[name].add(clusters, columns, weights)

    def _figures(self, question: _Question) -> dict[str, float]:
        n, config = len(question.scores), self._config
        passed = sum(score >= config.threshold for score in question.scores)
        figures = {f"pass@{k}": pass_at_k(n, passed, k) for k in range(1, min(n, config.repeats) + 1)}
        vote, is_tied = majority_score([config.credit(score) for score in question.scores], question.answers)
        self.ties += is_tied
        figures["majority_vote"] = vote
        if n > 1:
            counts = Counter(answer for answer in question.answers if answer is not None)
            figures["consistency"] = pairwise_agreement(list(counts.values()), n)
        if n == config.repeats:
            figures["worst_repeat"] = min(map(config.credit, question.scores))
        return figures

    def merge(self, other: Self) -> None:
        """Add all questions of another."""
        for name, sums in self._sums.items():
            sums.merge(other._sums[name])
        self.variance.merge(other.variance)
        self.ties += other.ties

    def rows(self, scope: str, name: str, english: str = "") -> list[Row]:
        """The figures as rows; of a task only the pass@k with the largest k."""
        repeats, threshold = self._config.repeats, self._config.threshold
        wanted = self._names if scope == "overall" else self._names[repeats - 1 :]
        level = "" if threshold == 1 else f" (≥ {threshold:g})"
        return [
            Row(
                scope=scope,
                name=name,
                metric=metric,
                title=_TITLES.get(metric, f"{metric}{level}"),
                core=False,
                estimate=self._sums[metric].estimate(ratio, "share"),
                english=english,
            )
            for metric in wanted
        ]


def majority_score(scores: Sequence[float], answers: Sequence[str | None]) -> tuple[float, bool]:
    """The score of the most frequent answer, and whether several were as frequent: then it is the mean of theirs.

    Replies without an answer do not vote; without any vote the score is 0.
    """
    votes = Counter(answer for answer in answers if answer is not None)
    if not votes:
        return 0.0, False
    most = max(votes.values())
    winners = sorted(answer for answer, count in votes.items() if count == most)
    earned = [sum(s for s, a in zip(scores, answers, strict=True) if a == winner) / most for winner in winners]
    return sum(earned) / len(winners), len(winners) > 1


class RepeatEvaluator:
    """Figures of repeats by task and over all tasks; takes scored batches that hold all repeats of a question."""

    def __init__(self, suite: Suite, config: RepeatConfig) -> None:
        self._suite, self._config = suite, config
        self._tasks: dict[str, RepeatState] = {}

    def update(self, scores: ScoreBatch, attempts: Sequence[Attempt]) -> None:
        """Take a batch into account; `attempts` are the first ones of each row."""
        samples = scores.samples
        answers = canonical_answers(self._suite, scores, attempts)
        questions: dict[tuple[int, str], _Question] = {}
        for row in scores.counted.tolist():
            key = int(samples.positions[row]), samples.name(row)
            weight = 1.0 if samples.weights is None else float(samples.weights[row])
            question = questions.setdefault(key, _Question(int(samples.clusters[row]), weight, [], []))
            question.scores.append(float(scores.scores[row]))
            question.answers.append(answers[row])
        state = self._tasks.setdefault(samples.task.name, RepeatState(self._config))
        state.add(list(questions.values()))

    def add_rows(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of a summary with those of repeats behind those of the same scope."""
        total = RepeatState(self._config)
        for name in sorted(self._tasks):
            total.merge(self._tasks[name])
        added: list[Row] = []
        for row, following in zip(rows, [*rows[1:], None], strict=True):
            added.append(row)
            is_last = following is None or (following.scope, following.name) != (row.scope, row.name)
            if is_last and row.scope == "overall":
                added += total.rows("overall", "")
            elif is_last and row.scope == "task" and row.name in self._tasks:
                added += self._tasks[row.name].rows("task", row.name, row.english)
        return added

    def summary(self, measure: str) -> RepeatSummary:
        """The variance split of all tasks and of each; `measure` is the headline metric."""
        total = RepeatState(self._config)
        for name in sorted(self._tasks):
            total.merge(self._tasks[name])
        return RepeatSummary(
            count=self._config.repeats,
            threshold=self._config.threshold,
            measure=measure,
            questions=total.variance.questions,
            ties=total.ties,
            variance=total.variance.split(),
            tasks={name: self._tasks[name].variance.split() for name in sorted(self._tasks)},
        )


def canonical_answers(suite: Suite, scores: ScoreBatch, attempts: Sequence[Attempt]) -> list[str | None]:
    """What each reply says in a form that can be compared: its parsed value, else its text; None where it says nothing.

    A scorer that reduces several turns to one answer names it `predicted`.
    """
    found: list[str | None] = [None] * len(scores)
    if scores.parsed is not None:
        for rank, row in enumerate(scores.counted.tolist()):
            if scores.statuses[row] == ANSWERED:
                found[row] = _canonical(scores.parser.value(scores.parsed.reply.take(np.array([rank]))))
        return found
    for row, (grade, attempt) in enumerate(zip(scores.grades, attempts, strict=True)):
        if grade.status == "answered" and attempt.answers:
            predicted = grade.values.get("predicted")
            found[row] = _canonical(_parse(suite, grade.task, attempt) if predicted is None else predicted)
    return found


def _parse(suite: Suite, task: str, attempt: Attempt) -> Any:
    text = usable(suite, attempt.answers[-1]).text
    try:
        parsed = suite.parse(task, text)
    except Exception:  # a suite without a parser for the task: its replies are compared as texts
        return text
    return parsed.value if isinstance(parsed, Parsed) else text


def _canonical(value: Any) -> str:
    return " ".join(value.casefold().split()) if isinstance(value, str) else _encoder.encode(value).decode()

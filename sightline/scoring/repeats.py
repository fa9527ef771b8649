"""Figures of repeated questions: pass@k, majority vote, consistency, worst repeat, and the variance split.

Accuracy and mean score come from the evaluator (`ScoreState`), with the mean over each question's graded replies. Here
the repeats of each question are evaluated together. All figures are means over the same questions, those with a graded
reply, so that pass@k never falls with k; where requests failed, bounds count the failed repeats as wrong and as right.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.interfaces import Suite
from sightline.core.records import Attempt, Parsed
from sightline.core.remarks import Remark
from sightline.scoring.batch import ANSWERED, FAILED, INVALID, ScoreBatch
from sightline.scoring.metrics.state import Credit, identity_credit
from sightline.scoring.sample_scorer import blank_unusable
from sightline.scoring.summary import RepeatSummary, Row
from sightline.stats.influence import Hashes, plain_estimate
from sightline.stats.intervals import Floats
from sightline.stats.repeats import QuestionMeans, RepeatVariance, pairwise_agreement, pass_at_k

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
    credit: Credit = identity_credit
    """What a score is worth to the headline metric."""


class QuestionReplies(Struct):
    """The graded and failed replies to one question."""

    cluster: int
    weight: float
    scores: list[float] = []
    """Of the graded replies."""
    answers: list[str | None] = []
    """Canonical answers of the graded replies; None where a reply has none."""
    unread: list[bool] = []
    """Which graded replies could not be read."""
    failed: int = 0
    """Replies without a grade, since their requests failed."""


class _Values(Struct, frozen=True):
    """A figure of one question, and what it would be at least and at most if no request had failed."""

    value: float | None
    lowest: float
    highest: float


class RepeatState:
    """Mergeable sums over questions, for all figures of repeats."""

    def __init__(self, config: RepeatConfig) -> None:
        self._config = config
        self._names = [*(f"pass@{k}" for k in range(1, config.repeats + 1)), *_TITLES]
        self._means = {name: QuestionMeans() for name in self._names}
        self.variance = RepeatVariance()
        self.ties = 0
        """Questions whose vote was tied."""
        self.failed = 0
        """Replies that failed."""
        self.unread = 0
        """Graded replies that could not be read."""
        self.incomplete = 0
        """Questions with a reply that failed."""

    def add(self, questions: Sequence[QuestionReplies]) -> None:
        """Add the replies to some questions."""
        credit = self._config.credit
        graded = [question for question in questions if question.scores]
        self.variance.add(
            [question.cluster for question in graded],
            [question.weight for question in graded],
            [[credit(score) for score in question.scores] for question in graded],
        )
        self.failed += sum(question.failed for question in questions)
        self.unread += sum(sum(question.unread) for question in questions)
        self.incomplete += sum(question.failed > 0 for question in questions)
        figures = [(question, self._figures(question)) for question in questions]
        for name, means in self._means.items():
            found = [(question, values[name]) for question, values in figures if name in values]
            means.add_bounds(
                _clusters(question for question, _ in found),
                np.array([values.lowest for _, values in found], np.float64),
                np.array([values.highest for _, values in found], np.float64),
                _weights(question for question, _ in found),
            )
            known = [(question, values.value) for question, values in found if values.value is not None]
            means.add(
                _clusters(question for question, _ in known),
                np.array([value for _, value in known], np.float64),
                _weights(question for question, _ in known),
            )

    def _figures(self, question: QuestionReplies) -> dict[str, _Values]:
        figures = {
            f"pass@{k}": _pass_values(question, k, self._config.threshold) for k in range(1, self._config.repeats + 1)
        }
        credits = [self._config.credit(score) for score in question.scores]
        if credits:
            self.ties += majority_score(credits, question.answers)[1]
        figures["majority_vote"] = _vote_values(question, credits)
        if len(credits) + question.failed > 1:
            figures["consistency"] = _agreement_values(question)
        best = [1.0 if unread else credit for credit, unread in zip(credits, question.unread, strict=True)]
        figures["worst_repeat"] = _Values(
            value=min(credits) if credits else None,
            lowest=min(credits) if credits and not question.failed else 0.0,
            highest=min(best, default=1.0),
        )
        return figures

    def merge(self, other: Self) -> None:
        """Add all questions of another."""
        for name, means in self._means.items():
            means.merge(other._means[name])
        self.variance.merge(other.variance)
        self.ties += other.ties
        self.failed += other.failed
        self.unread += other.unread
        self.incomplete += other.incomplete

    def rows(self, beside: Row) -> list[Row]:
        """The figures as rows of the scope of another row; of a task only the pass@k with the largest k."""
        repeats, threshold = self._config.repeats, self._config.threshold
        wanted = self._names if beside.scope == "overall" else self._names[repeats - 1 :]
        level = "" if threshold == 1 else f" (≥ {threshold:g})"
        counts = {"unparsed": self.unread, "failed": self.failed, "invalid": beside.estimate.invalid}
        return [
            Row(
                scope=beside.scope,
                name=beside.name,
                metric=metric,
                title=_TITLES.get(metric, f"{metric}{level}"),
                core=False,
                estimate=plain_estimate(replace(self._means[metric].estimate(), **counts)),
                english=beside.english,
            )
            for metric in wanted
        ]


def _clusters(questions: Iterable[QuestionReplies]) -> Hashes:
    return np.array([question.cluster for question in questions], np.uint64)


def _weights(questions: Iterable[QuestionReplies]) -> Floats:
    return np.array([question.weight for question in questions], np.float64)


def _pass_values(question: QuestionReplies, k: int, threshold: float) -> _Values:
    """pass@k of a question; one with fewer than k graded replies counts with all of them."""
    graded, asked = len(question.scores), len(question.scores) + question.failed
    passed = [score >= threshold for score in question.scores]
    could_pass = sum(map(operator.or_, passed, question.unread)) + question.failed
    return _Values(
        value=pass_at_k(graded, sum(passed), min(k, graded)) if graded else None,
        lowest=pass_at_k(asked, sum(passed), min(k, asked)),
        highest=pass_at_k(asked, could_pass, min(k, asked)),
    )


def _vote_values(question: QuestionReplies, credits: list[float]) -> _Values:
    """The majority vote; at worst and at best, failed replies vote for one answer, at best those unread as well."""
    replies = list(zip(credits, question.answers, strict=True))
    read = [reply for reply, unread in zip(replies, question.unread, strict=True) if not unread]
    return _Values(
        value=majority_score(credits, question.answers)[0] if credits else None,
        lowest=_extreme_vote(min, replies, question.failed, 0.0),
        highest=_extreme_vote(max, read, question.failed + len(replies) - len(read), 1.0),
    )


def _extreme_vote(
    extreme: Callable[[Iterable[float]], float], replies: list[tuple[float, str | None]], more: int, credit: float
) -> float:
    """The least or greatest score of a vote with `more` replies, which all give the same answer: one of those given,
    which may be partly right, or a new one that earns `credit`. No other distribution of them leads further."""
    earned = {answer: score for score, answer in replies if answer is not None} if more else {}
    votes = ([*replies, *[(score, answer)] * more] for answer, score in [*earned.items(), ("\0", credit)])
    return extreme(majority_score(*zip(*replies, strict=True))[0] if replies else 0.0 for replies in votes)


def _agreement_values(question: QuestionReplies) -> _Values:
    """The agreement of pairs of replies; failed ones agree with none at worst, with the most frequent at best."""
    counts = sorted(Counter(answer for answer in question.answers if answer is not None).values())
    graded, asked = len(question.scores), len(question.scores) + question.failed
    more = question.failed + sum(question.unread)
    most = [*counts[:-1], (counts[-1] if counts else 0) + more]
    return _Values(
        value=pairwise_agreement(counts, graded) if graded > 1 else None,
        lowest=pairwise_agreement(counts, asked),
        highest=pairwise_agreement(most, asked),
    )


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
        questions: dict[tuple[int, str], QuestionReplies] = {}
        for row in np.flatnonzero(scores.statuses != INVALID).tolist():
            key = int(samples.positions[row]), samples.name(row)
            weight = 1.0 if samples.weights is None else float(samples.weights[row])
            question = questions.setdefault(key, QuestionReplies(int(samples.clusters[row]), weight))
            if scores.statuses[row] == FAILED:
                question.failed += 1
                continue
            question.scores.append(float(scores.scores[row]))
            question.answers.append(answers[row])
            question.unread.append(bool(scores.statuses[row] != ANSWERED))
        state = self._tasks.setdefault(samples.task.name, RepeatState(self._config))
        state.add(list(questions.values()))

    def _total(self) -> RepeatState:
        """The states of all tasks together."""
        total = RepeatState(self._config)
        for name in sorted(self._tasks):
            total.merge(self._tasks[name])
        return total

    def add_rows(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of a summary with those of repeats behind those of the same scope."""
        total = self._total()
        added: list[Row] = []
        for row, following in zip(rows, [*rows[1:], None], strict=True):
            added.append(row)
            is_last = following is None or (following.scope, following.name) != (row.scope, row.name)
            if is_last and row.scope == "overall":
                added += total.rows(row)
            elif is_last and row.scope == "task" and row.name in self._tasks:
                added += self._tasks[row.name].rows(row)
        return added

    def summary(self, measure: str) -> RepeatSummary:
        """The variance split of all tasks and of each; `measure` is the headline metric."""
        total = self._total()
        return RepeatSummary(
            count=self._config.repeats,
            threshold=self._config.threshold,
            measure=measure,
            questions=total.variance.questions,
            ties=total.ties,
            failed=total.failed,
            incomplete=total.incomplete,
            variance=total.variance.split(),
            tasks={name: self._tasks[name].variance.split() for name in sorted(self._tasks)},
        )


def canonical_answers(suite: Suite, scores: ScoreBatch, attempts: Sequence[Attempt]) -> list[str | None]:
    """What each reply says in a form that can be compared: its parsed value, else its text; None where it says nothing.

    A scorer that reduces several turns to one answer names it `predicted`.
    """
    found: list[str | None] = [None] * len(scores)
    if (parts := scores.lenient) is not None:  # as asked
        for part, rows in ((parts.same, parts.same_rows), (parts.strict, parts.rows)):
            for row, answer in zip(rows.tolist(), canonical_answers(suite, part, attempts), strict=True):
                found[row] = answer
        return found
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
    text = blank_unusable(suite, attempt.answers[-1]).text
    try:
        parsed = suite.parse(task, text)
    except Exception:  # a suite without a parser for the task: its replies are compared as texts
        return text
    return parsed.value if isinstance(parsed, Parsed) else text


def _canonical(value: Any) -> str:
    return " ".join(value.casefold().split()) if isinstance(value, str) else _encoder.encode(value).decode()

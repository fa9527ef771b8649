"""Scorer of whole columns: parses truths and replies of a task, brings them into one space, and compares them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.interfaces import Reading, Suite, Task
from sightline.core.records import Attempt
from sightline.core.remarks import Explanation, Remark
from sightline.data.columns import Batch, ParsedColumn, TextColumn
from sightline.scoring.batch import (
    ANSWERED,
    EMPTY,
    FAILED,
    INVALID,
    MISSING,
    STATUSES,
    UNPARSED,
    ReplyBatch,
    SampleBatch,
    ScoreBatch,
)
from sightline.scoring.metrics.state import Metric, MetricContext, Values
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.references import read_truths
from sightline.scoring.plugin_adapters import UnfitError, check_scores, not_a_score_error
from sightline.scoring.resolve import check_kinds, find_column_scorer, find_parser
from sightline.scoring.sample_scorer import blank_unusable, failure_message

_EMPTY_OUTPUT = "empty output"
UNKNOWN_SIZE = "the picture's size is unknown, so coordinates cannot be converted"


class ColumnScorer:
    """Parses and compares the columns of one task."""

    def __init__(self, task: Task, reading: Reading, metrics: list[Metric]) -> None:
        self.task, self.reading = task, reading
        self.parser = _configure_parser(find_parser(task.parser), labels=reading.labels, task=task.name)
        check_kinds(task, self.parser, metrics)
        self._reply_parser = self.parser
        self._compare = find_column_scorer(self.parser, metrics)
        self._metrics = metrics
        self.context = make_context(task, reading, self.parser, metrics)

    @property
    def has_coordinates(self) -> bool:
        """Whether what it parses are shapes in the image."""
        return self.parser.kind in ("shapes", "polygons")

    def allow_classes(self, classes: frozenset[str]) -> None:
        """Let the parser of replies know the labels that truths have."""
        self._reply_parser = _configure_parser(self.parser, allowed=classes)

    def score(self, samples: SampleBatch, replies: ReplyBatch) -> ScoreBatch:
        """The verdict on each sample. Raises where code of the user's own fails."""
        assert samples.targets is not None and replies.texts is not None, "columns are scored as texts"
        truth, reply = read_truths(self.parser, samples.targets), self._reply_parser.read(replies.texts)
        truth_values, reply_values, unknown_size = self._in_one_space(truth, reply, samples, replies)
        statuses, indices, reasons = _verdicts(truth, reply, replies, unknown_size)
        is_counted = (statuses != INVALID) & (statuses != FAILED)
        counted = np.flatnonzero(is_counted)
        whole = len(counted) == len(samples)
        batch = Batch(
            truth=truth_values if whole else truth_values.take(counted),
            reply=reply_values if whole else reply_values.take(counted),
            answered=statuses[counted] == ANSWERED,
            clusters=samples.clusters[counted],
            key=samples.key,
            weights=None if samples.weights is None else samples.weights[counted],
        )
        values = self._compare_columns(batch)
        score = np.where(batch.answered, values.pop("score"), 0.0)  # what could not be read earns nothing
        return ScoreBatch(
            samples=samples,
            statuses=statuses,
            scores=np.nan_to_num(spread_column(score, counted, len(samples))),
            details={name: spread_column(column, counted, len(samples)) for name, column in values.items()},
            reason_indices=indices,
            reasons=reasons,
            off_scale=self._off_scale(truth_values, reply_values, samples) & is_counted,
            parsed=batch,
            parser=self.parser,
        )

    def _compare_columns(self, batch: Batch) -> Values:
        try:
            values = dict(self._compare(batch, self.context))
            return {**values, "score": check_scores(values["score"])}
        except UnfitError as error:
            state = getattr(self._compare, "__self__", None)  # the class of a function among the metrics
            raise not_a_score_error(error, self.task.name, self._metrics, state) from None

    def _in_one_space(
        self, truth: ParsedColumn, reply: ParsedColumn, samples: SampleBatch, replies: ReplyBatch
    ) -> tuple[Any, Any, NDArray[np.bool_]]:
        """Replies brought into the truths' coordinate space, and where that was impossible."""
        known = np.zeros(len(samples), bool)
        spaces = self.reading.coords, self.reading.truth_coords
        values = reply.values
        if self.has_coordinates and spaces[0] == "pixels" and replies.picture_scales is not None:
            # a model that answers in pixels means those of the image that it was sent
            values = values.scaled(replies.picture_scales)
        if not self.has_coordinates or spaces[0] == spaces[1]:
            return truth.values, values, known
        from sightline.scoring.parsers.columns.coordinates import scale_factors

        scale = scale_factors(*spaces, samples.sizes)
        if scale is None:
            return truth.values, values, ~known
        unknown = ~np.isfinite(scale).all(axis=1)
        each = np.broadcast_to(np.where(np.isfinite(scale), scale, 1.0), (len(samples), 2))
        return truth.values, values.scaled(each), np.broadcast_to(unknown, (len(samples),))

    def _off_scale(self, truth: Any, reply: Any, samples: SampleBatch) -> NDArray[np.bool_]:
        if not self.has_coordinates:
            return np.zeros(len(samples), bool)
        from sightline.scoring.parsers.columns.coordinates import find_mis_scaled

        return find_mis_scaled(reply, self.reading.truth_coords, samples.sizes, truth)


def make_context(task: Task, reading: Reading, parser: ColumnParser, metrics: list[Metric]) -> MetricContext:
    """What scorer and metrics of a task are told."""
    space = reading.truth_coords
    declared = {} if space == "pixels" else {"space": space}  # pixels are the default, declared by nobody
    return MetricContext(
        metric_names=frozenset(metric.name for metric in metrics), options={**declared, **task.options}, parser=parser
    )


def batch_replies(suite: Suite, attempts: Sequence[Attempt]) -> ReplyBatch:
    """The first attempts at samples as columns: the text that is scored, and how the request ended."""
    found = [_reply(suite, attempt) for attempt in attempts]
    return ReplyBatch(
        texts=TextColumn.of(text for text, _, _ in found),
        endings=np.array([ending for _, ending, _ in found], np.uint8),
        messages=tuple(message for _, _, message in found),
        picture_scales=picture_scales(attempts),
    )


def picture_scales(attempts: Sequence[Attempt]) -> NDArray[np.float64] | None:
    """Scale factors from the first image that was sent to the image itself, one row per attempt; None: all are 1."""
    sent = [attempt.answers[-1].pictures[:1] if attempt.answers else () for attempt in attempts]
    if not any(picture.sent for pictures in sent for picture in pictures):
        return None
    return np.array([pictures[0].scale if pictures else (1.0, 1.0) for pictures in sent], np.float64)


def _reply(suite: Suite, attempt: Attempt) -> tuple[str, int, Explanation]:
    if attempt.failure is not None:
        return "", FAILED, failure_message(attempt.failure)
    answer = attempt.answers[-1]
    text = blank_unusable(suite, answer).text
    return text, ANSWERED if text or answer.stop == "complete" else STATUSES.index(answer.stop), ""


def _configure_parser(parser: ColumnParser, **parser_settings: Any) -> ColumnParser:
    """The parser with those of the settings that it knows (`labels` → its `mapping`)."""
    fields = set(type(parser).__struct_fields__)
    known = {"mapping" if key == "labels" else key: value for key, value in parser_settings.items() if value}
    mine = {key: value for key, value in known.items() if key in fields}
    return replace(parser, **mine) if mine else parser


def _verdicts(
    truth: ParsedColumn, reply: ParsedColumn, replies: ReplyBatch, unknown_size: NDArray[np.bool_]
) -> tuple[NDArray[np.uint8], NDArray[np.int64], tuple[Explanation, ...]]:
    """Status and reason of every sample."""
    endings = replies.endings
    bad_truths = [Remark("bad gt: {why}", {"why": Remark(why)}) for why in truth.reasons[1:]]
    reasons: list[Explanation] = ["", MISSING, *reply.reasons[1:], *bad_truths, UNKNOWN_SIZE]
    indices = np.where(reply.errors > 0, reply.errors.astype(np.int64) + 1, 0)
    empty = reply.errors == (reply.reasons.index(_EMPTY_OUTPUT) if _EMPTY_OUTPUT in reply.reasons else 255)
    statuses = np.where(reply.errors > 0, np.where(empty, EMPTY, UNPARSED), ANSWERED).astype(np.uint8)
    if replies.replied is not None:
        statuses[~replies.replied], indices[~replies.replied] = EMPTY, 1
    if endings is not None:
        statuses[endings != ANSWERED] = endings[endings != ANSWERED]
        failed = np.flatnonzero(endings == FAILED)
        for row in failed.tolist() if replies.messages else ():
            indices[row] = len(reasons)
            reasons.append(replies.messages[row])
    bad = truth.errors > 0
    statuses[bad | unknown_size] = INVALID
    indices[unknown_size] = reasons.index(UNKNOWN_SIZE)
    indices[bad] = truth.errors[bad].astype(np.int64) + len(reply.reasons)
    return statuses, indices, tuple(reasons)


def spread_column(column: NDArray[Any], rows: NDArray[np.int64], length: int) -> NDArray[Any]:
    """A column of some of the rows as one of all of them."""
    if len(rows) == length:
        return column
    spread = np.full(length, np.nan) if column.dtype.kind != "O" else np.full(length, None, dtype=object)
    spread[rows] = column
    return spread

"""Scorer of whole columns: parses truths and replies of a task, brings them into one space, and compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.interfaces import Reading, Suite, Task
from sightline.core.records import Attempt, Sample
from sightline.core.remarks import Explanation, Remark
from sightline.core.reply_formats import AUTO, REPLY_SPACES, STRICT, TAGS
from sightline.data.columns import Batch, ParsedColumn, TextColumn
from sightline.scoring.batch import (
    ANSWERED,
    EMPTY,
    FAILED,
    INVALID,
    MISSING,
    STATUSES,
    TRUNCATED,
    UNPARSED,
    LenientScores,
    ReplyBatch,
    SampleBatch,
    ScoreBatch,
    SizeReader,
)
from sightline.scoring.known_faults import FaultInput, find_concerning_fault
from sightline.scoring.metrics.state import Metric, MetricContext, Values
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.plugin_adapters import NotAScoreError, check_scores, not_a_score_error
from sightline.scoring.resolve import check_kinds, find_column_scorer, find_parser
from sightline.scoring.sample_scorer import blank_unusable, failure_message
from sightline.scoring.truths import read_truths

_EMPTY_OUTPUT = "empty output"
UNKNOWN_SIZE = "the picture's size is unknown, so coordinates cannot be converted"


class _ReadReplies(Struct, frozen=True):
    """Replies of a batch as parsed, with the texts that were parsed and the space of the coordinates of each."""

    texts: TextColumn
    parsed: ParsedColumn
    spaces: NDArray[np.uint8]
    """Indices into `REPLY_SPACES`, plus one; 0: the declared space."""

    def take(self, rows: NDArray[np.int64]) -> _ReadReplies:
        return _ReadReplies(self.texts.take(rows), self.parsed.take(rows), self.spaces[rows])


class ColumnScorer:
    """Parses and compares the columns of one task."""

    def __init__(self, task: Task, reading: Reading, metrics: list[Metric]) -> None:
        self.task, self.reading = task, reading
        self.parser = _configure_parser(find_parser(task.parser), labels=reading.labels, task=task.name)
        check_kinds(task, self.parser, metrics)
        self._reply_parser = self.parser
        self._classes: frozenset[str] = frozenset()
        self.uses_vocabulary = True
        """Whether labels are looked for in sentences by the classes that truths have; not where there is one truth."""
        self._compare = find_column_scorer(self.parser, metrics)
        self._metrics = metrics
        self.context = make_context(task, reading, self.parser, metrics)
        self._fault = find_concerning_fault(reading.known_fault, self.parser) if reading.known_fault else None

    @property
    def has_coordinates(self) -> bool:
        """Whether what it parses are shapes in the image."""
        return self.parser.kind in ("shapes", "polygons")

    def allow_classes(self, classes: frozenset[str]) -> None:
        """Let the parser of replies know the labels that truths have."""
        self._reply_parser = _configure_parser(self.parser, allowed=classes)
        self._classes = classes

    def read_truths(self, texts: TextColumn) -> ParsedColumn:
        """The truths, with the reason why any of them is invalid."""
        has_instances = False
        if self.parser.kind == "polygons":
            from sightline.scoring.metrics.mask_comparison import matches_instances

            has_instances = matches_instances(self.context)
        return read_truths(self.parser, texts, has_instances)

    def score(self, samples: SampleBatch, replies: ReplyBatch) -> ScoreBatch:
        """The verdict on each sample, and where the lenient reading differs, that too.

        Raises where code of the user's own fails.
        """
        assert samples.targets is not None and replies.texts is not None, "columns are scored as texts"
        truth = self.read_truths(samples.targets)
        form = self.reading.reply_format(self.task, replies.model)
        strict = self._read_strictly(samples, replies, form)
        is_strict = form == STRICT or self._fault is not None
        lenient = None if is_strict else self._read_leniently(samples, replies, truth, strict, form)
        if lenient is None or not len(lenient.rows):
            scores = self._score_read(samples, replies, truth, strict, form)
        else:
            scores = self._score_both(samples, replies, truth, strict, lenient, form)
        return scores if lenient is None or not lenient.unsized else replace(scores, unsized=lenient.unsized)

    def with_sizes(self, samples: SampleBatch, replies: ReplyBatch) -> SampleBatch:
        """The samples with the sizes of images that may be needed, so that nothing is read later."""
        assert replies.texts is not None
        sizes = samples.sizes
        lenient = self.reading.reply_format(self.task, replies.model) != STRICT
        if sizes is None and self.has_coordinates and samples.size_reader is not None:
            if self._fault is not None:
                sizes = samples.read_sizes(np.arange(len(samples)))
            elif lenient:
                sizes = _spread_sizes(samples, np.flatnonzero(self._reply_parser.read(replies.texts).errors))
        return replace(samples, sizes=sizes, size_reader=None)

    def _read_strictly(self, samples: SampleBatch, replies: ReplyBatch, form: str) -> _ReadReplies:
        """Replies in the form that the task states, or in that of the declared profile."""
        texts = _usable_texts(replies)
        spaces = np.zeros(len(samples), np.uint8)
        if form in (AUTO, STRICT, TAGS) or not self.has_coordinates:
            return _ReadReplies(texts, self._reply_parser.read(texts), spaces)
        from sightline.scoring.parsers.columns.reasons import EMPTY as EMPTY_TEXT
        from sightline.scoring.parsers.columns.reasons import NOT_DECLARED_FORMAT
        from sightline.scoring.parsers.columns.texts import strip_thinking_column
        from sightline.scoring.parsers.lenient.reader import parse_rewritten, read_profile

        made, parsed = parse_rewritten(read_profile(texts, self.parser, form, samples.read_sizes), self.parser)
        _, blank = strip_thinking_column(texts)
        errors = np.where(blank, EMPTY_TEXT, NOT_DECLARED_FORMAT).astype(np.uint8)
        errors[made.rows] = parsed.errors
        values = parsed.values.spread(made.rows, len(samples))
        return _ReadReplies(texts, ParsedColumn(values, errors, parsed.reasons), spaces)

    def _read_leniently(
        self, samples: SampleBatch, replies: ReplyBatch, truth: ParsedColumn, strict: _ReadReplies, form: str
    ) -> _LenientReplies | None:
        """Replies whose lenient reading differs from the strict one; None where there are none."""
        assert replies.texts is not None
        valid = truth.errors == 0
        if replies.endings is not None:
            # a list that was cut off has complete items; anything else may be the beginning of another answer
            valid &= (replies.endings == ANSWERED) | (self.has_coordinates & (replies.endings == TRUNCATED))
        candidates = valid & (replies.texts.lengths() > 0)
        if self.parser.kind != "texts":
            candidates &= strict.parsed.errors > 0
        if not candidates.any():
            return None
        from sightline.scoring.parsers.lenient import reader
        from sightline.scoring.parsers.lenient.deviations import deviation_code

        if not reader.can_read(self.parser):
            return None
        rows = np.flatnonzero(candidates)
        if self.parser.kind == "texts":
            rows = rows[reader.deviant_captions(replies.texts.take(rows))]
        made = reader.read_leniently(
            replies.texts.take(rows),
            self.parser,
            self._classes if self.uses_vocabulary else frozenset(),
            lambda some: samples.read_sizes(rows[some]),
            self.reading.is_declared,
        )
        if not len(made.rows):
            return None
        made, parsed = reader.parse_rewritten(made, self._reply_parser)
        kept = readable = np.flatnonzero(parsed.errors == 0)
        if self.has_coordinates:
            kept = kept[self._can_convert(samples, rows[made.rows[kept]], made.spaces[kept], form)]
        made = reader.take_rewritten(made, kept)
        deviations = made.deviations
        if replies.endings is not None:
            cut = replies.endings[rows[made.rows]] == TRUNCATED
            deviations = np.where(cut, deviation_code("list cut off"), deviations).astype(np.uint8)
        parsed = parsed if len(kept) == len(parsed.errors) else parsed.take(kept)
        read = _ReadReplies(made.texts, parsed, made.spaces)
        unsized = len(readable) - len(kept)
        return _LenientReplies(rows=rows[made.rows], read=read, deviations=deviations, unsized=unsized)

    def _can_convert(
        self, samples: SampleBatch, rows: NDArray[np.int64], codes: NDArray[np.uint8], form: str
    ) -> NDArray[np.bool_]:
        """Where coordinates can be converted into the space of the truths."""
        known = np.ones(len(rows), bool)
        for code in np.unique(codes).tolist():
            space = self._space(code, form)
            some = codes == code
            if self.reading.converts_pixels(space):
                sizes = samples.read_sizes(rows[some])
                known[some] = False if sizes is None else np.isfinite(sizes).all(axis=1)
        return known

    def _score_both(
        self,
        samples: SampleBatch,
        replies: ReplyBatch,
        truth: ParsedColumn,
        strict: _ReadReplies,
        lenient: _LenientReplies,
        form: str,
    ) -> ScoreBatch:
        """Score rows that are read the same once, the others as asked and leniently."""
        count = len(samples)
        deviations = np.zeros(count, np.uint8)
        deviations[lenient.rows] = lenient.deviations
        differs = deviations > 0
        if samples.repeats is not None:  # all replies to a question are counted together
            differs = np.isin(samples.positions, samples.positions[differs])
        rows, same_rows = np.flatnonzero(differs), np.flatnonzero(~differs)
        sized = replace(samples, sizes=_spread_sizes(samples, rows)) if samples.size_reader is not None else samples
        same = self._score_read(
            sized.take(same_rows), replies.take(same_rows), truth.take(same_rows), strict.take(same_rows), form
        )
        some, others, truths = sized.take(rows), replies.take(rows), truth.take(rows)
        other = self._score_read(some, others, truths, strict.take(rows), form, with_reaches=False)
        read = lenient.read
        if len(rows) != len(lenient.rows):
            read = self._with_siblings(strict, lenient, rows)
        if others.endings is not None:
            cut = (others.endings == TRUNCATED) & (deviations[rows] > 0)
            others = replace(others, endings=np.where(cut, ANSWERED, others.endings).astype(np.uint8))
        rescued = self._score_read(some, others, truths, read, form)
        scores = np.zeros(count)
        scores[same_rows], scores[rows] = same.scores, rescued.scores
        parts = LenientScores(same=same, strict=other, rescued=rescued, same_rows=same_rows, rows=rows)
        return replace(_join_parts(samples, parts), deviations=deviations, lenient_scores=scores)

    def _with_siblings(self, strict: _ReadReplies, lenient: _LenientReplies, rows: NDArray[np.int64]) -> _ReadReplies:
        """The lenient reading of rows, of which some are read as asked."""
        texts = self._asked_texts(strict.take(rows))
        spaces = strict.spaces[rows].copy()
        places = np.searchsorted(rows, lenient.rows)
        for place, text in zip(places.tolist(), self._asked_texts(lenient.read), strict=True):
            texts[place] = text
        spaces[places] = lenient.read.spaces
        column = TextColumn.of(texts)
        return _ReadReplies(column, self._reply_parser.read(column), spaces)

    def _asked_texts(self, read: _ReadReplies) -> list[str]:
        """Replies in the asked form; those that could not be read as they are."""
        texts = read.texts.strings()
        if self.has_coordinates:
            from sightline.scoring.parsers.lenient.reader import write_shapes

            for row in np.flatnonzero(read.parsed.errors == 0).tolist():
                texts[row] = write_shapes(self.parser.value(read.parsed.values.take(np.array([row]))), self.parser)
        return texts

    def _score_read(
        self,
        samples: SampleBatch,
        replies: ReplyBatch,
        truth: ParsedColumn,
        reply: _ReadReplies,
        form: str,
        with_reaches: bool = True,
    ) -> ScoreBatch:
        """The verdict on replies as they were read; `with_reaches`: see `ScoreBatch.reaches`."""
        truth_values = truth.values
        reply_values, unknown_size, factors = self._in_one_space(reply, samples, replies, form)
        statuses, indices, reasons = _verdicts(truth, reply.parsed, replies, unknown_size)
        if self._fault is not None and self._fault.leaves_out_unread:
            statuses[(statuses != ANSWERED) & (statuses != FAILED)] = INVALID
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
        if self._fault is not None and self._fault.transform is not None:
            assert samples.targets is not None and replies.texts is not None, "columns are scored as texts"
            batch = self._fault.transform(
                FaultInput(
                    batch=batch,
                    targets=samples.targets.take(counted),
                    replies=replies.texts.take(counted),
                    positions=samples.positions[counted],
                    space=self.reading.truth_coords,
                    sizes=samples.read_sizes(counted) if self.has_coordinates else None,
                )
            )
            unread = np.where(statuses[counted] == ANSWERED, UNPARSED, statuses[counted])
            statuses[counted] = np.where(batch.answered, ANSWERED, unread)
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
            reaches=self._reaches(truth_values, reply, factors) if with_reaches and self.has_coordinates else None,
        )

    def _reaches(self, truth: Any, reply: _ReadReplies, factors: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """See `ScoreBatch.reaches`."""
        from sightline.scoring.parsers.columns.coordinates import largest_coordinates

        expected = largest_coordinates(truth)
        if factors is not None:
            expected = expected / factors
        found = largest_coordinates(reply.parsed.values)
        reaches = np.stack((found.max(axis=1), expected.max(axis=1)), axis=1)
        reaches[(reply.parsed.errors > 0) | (reply.spaces > 0)] = np.nan
        return reaches

    def _compare_columns(self, batch: Batch) -> Values:
        try:
            values = dict(self._compare(batch, self.context))
            return {**values, "score": check_scores(values["score"])}
        except NotAScoreError as error:
            state = getattr(self._compare, "__self__", None)  # the class of a function among the metrics
            raise not_a_score_error(error, self.task.name, self._metrics, state) from None

    def _space(self, code: int, form: str) -> str:
        """The space of a code; the declared one is that of the declared profile, if there is one."""
        return REPLY_SPACES[code - 1] if code else self.reading.reply_space(form)

    def _in_one_space(
        self, reply: _ReadReplies, samples: SampleBatch, replies: ReplyBatch, form: str
    ) -> tuple[Any, NDArray[np.bool_], NDArray[np.float64] | None]:
        """Replies brought into the truths' space, where that was impossible, and the factors; None: all are 1."""
        values, count = reply.parsed.values, len(samples)
        unknown, target = np.zeros(count, bool), self.reading.truth_coords
        if not self.has_coordinates:
            return values, unknown, None
        codes = np.unique(reply.spaces).tolist()
        sent = replies.picture_scales
        if all(self._space(code, form) == target for code in codes) and (target != "pixels" or sent is None):
            return values, unknown, None
        from sightline.scoring.parsers.columns.coordinates import scale_factors

        factors = np.ones((count, 2))
        for code in codes:
            rows, space = reply.spaces == code, self._space(code, form)
            if space == "pixels" and sent is not None:
                # a model that answers in pixels means those of the image that it was sent
                factors[rows] = sent[rows]
        sent_factors = factors.copy()
        if sent is not None:
            values = values.scaled(factors)
        for code in codes:
            rows, space = reply.spaces == code, self._space(code, form)
            sizes = None if samples.sizes is None else samples.sizes[rows]
            sent_some = None if sent is None else sent[rows]
            scale = scale_factors(space, target, sizes, sent_some, self.reading.pixel_limits)
            factors[rows] = np.nan if scale is None else scale
        unknown = np.asarray(~np.isfinite(factors).all(axis=1))
        return values.scaled(np.where(np.isfinite(factors), factors, 1.0)), unknown, factors * sent_factors

    def _off_scale(self, truth: Any, reply: Any, samples: SampleBatch) -> NDArray[np.bool_]:
        if not self.has_coordinates:
            return np.zeros(len(samples), bool)
        from sightline.scoring.parsers.columns.coordinates import find_mis_scaled

        sizes = samples.sizes if self.reading.needs_sizes else None  # known of all samples or of none
        return find_mis_scaled(reply, self.reading.truth_coords, sizes, truth)


class _LenientReplies(Struct, frozen=True):
    """Rows whose lenient reading differs, with that reading and what was deviant."""

    rows: NDArray[np.int64]
    read: _ReadReplies
    deviations: NDArray[np.uint8]
    unsized: int = 0
    """Replies that could be read if the sizes of their pictures were known."""


def _usable_texts(replies: ReplyBatch) -> TextColumn:
    """The texts, empty where the request did not end with an answer."""
    texts, endings = replies.texts, replies.endings
    assert texts is not None
    if endings is None or (endings == ANSWERED).all():
        return texts
    return TextColumn(texts.data, texts.starts, np.where(endings == ANSWERED, texts.stops, texts.starts))


def _spread_sizes(samples: SampleBatch, rows: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Sizes of the images, with those of some rows read where they are not known yet."""
    found = samples.read_sizes(rows)
    if found is None:
        return samples.sizes
    sizes = np.full((len(samples), 2), np.nan) if samples.sizes is None else samples.sizes.copy()
    sizes[rows] = found
    return sizes


def _join_parts(samples: SampleBatch, parts: LenientScores) -> ScoreBatch:
    """The strict verdicts of both parts as one batch."""
    count, first = len(samples), len(parts.same.reasons)
    statuses, scores = np.zeros(count, np.uint8), np.zeros(count)
    off_scale, indices = np.zeros(count, bool), np.zeros(count, np.int64)
    for part, rows, shift in ((parts.same, parts.same_rows, 0), (parts.strict, parts.rows, first)):
        assert part.off_scale is not None and part.reason_indices is not None
        statuses[rows], scores[rows] = part.statuses, part.scores
        off_scale[rows], indices[rows] = part.off_scale, part.reason_indices + shift
    return ScoreBatch(
        samples=samples,
        statuses=statuses,
        scores=scores,
        details=join_columns(parts, parts.same.details, parts.strict.details, count),
        reason_indices=indices,
        reasons=(*parts.same.reasons, *parts.strict.reasons),
        off_scale=off_scale,
        parser=parts.same.parser,
        lenient=parts,
    )


def join_columns(
    parts: LenientScores, same: Mapping[str, NDArray[Any]], strict: Mapping[str, NDArray[Any]], count: int
) -> dict[str, NDArray[Any]]:
    """Columns of the samples of both parts as columns of all; NaN where one part has no such column."""
    made = {}
    for name in dict.fromkeys((*same, *strict)):
        kinds = [columns[name].dtype for columns in (same, strict) if name in columns]
        is_object = any(kind.kind == "O" for kind in kinds)
        complete = name in same and name in strict
        kind = object if is_object else (kinds[0] if complete and len(set(kinds)) == 1 else np.float64)
        column = np.full(count, None if is_object else (0 if complete else np.nan), dtype=kind)
        for rows, columns in ((parts.same_rows, same), (parts.rows, strict)):
            if name in columns:
                column[rows] = columns[name]
        made[name] = column
    return made


def make_context(task: Task, reading: Reading, parser: ColumnParser, metrics: list[Metric]) -> MetricContext:
    """The context of the scorer and metrics of a task: metric names, options and parser."""
    space = reading.truth_coords
    declared = {} if space == "pixels" else {"space": space}  # pixels are the default
    return MetricContext(
        metric_names=frozenset(metric.name for metric in metrics), options={**declared, **task.options}, parser=parser
    )


def batch_replies(suite: Suite, attempts: Sequence[Attempt], model: str = "") -> ReplyBatch:
    """The first attempts at samples as columns: the text that is scored, and how the request ended."""
    found = [_reply(suite, attempt) for attempt in attempts]
    return ReplyBatch(
        texts=TextColumn.of(text for text, _, _ in found),
        endings=np.array([ending for _, ending, _ in found], np.uint8),
        messages=tuple(message for _, _, message in found),
        picture_scales=picture_scales(attempts),
        model=model,
    )


def size_reader(samples: Sequence[Sample], attempts: Sequence[Attempt], table: str) -> SizeReader:
    """Reads sizes of the images of samples: as recorded with the replies, of the images themselves, or from a table."""

    def read_size(sample: Sample, attempt: Attempt) -> tuple[float, float]:
        from sightline.data.media import image_size_of_media
        from sightline.scoring.files.annotation_file import read_size_table

        pictures = attempt.answers[-1].pictures if attempt.answers else ()
        found = pictures[0].size if pictures else None
        if found is None and sample.media:
            found = image_size_of_media(sample.media[0])
        if found is None and table:
            found = read_size_table(table).get(sample.tags.get("picture", sample.source).strip())
        return found or (np.nan, np.nan)

    def read(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([read_size(samples[row], attempts[row]) for row in rows.tolist()], np.float64).reshape(-1, 2)

    return read


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
    ending = ANSWERED if text or answer.stop == "complete" else STATUSES.index(answer.stop)
    return answer.text if ending == TRUNCATED else text, ending, ""


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

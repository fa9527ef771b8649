"""Batches of one task: samples and replies go in, scores come out, one entry per sample.

A batch carries everything that may matter for a figure: weights, clusters, tags, image sizes, and of each reply how its
request ended. However a reply came (journal, file, HTTP request, Python call), it is scored as part of a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.interfaces import Task
from sightline.core.records import Attempt, Grade, Sample, Status
from sightline.core.remarks import Explanation
from sightline.data.columns import Batch, TextColumn
from sightline.stats.exact import ALONE, stable_hash

STATUSES: tuple[Status, ...] = ("answered", "unparsed", "empty", "invalid", "truncated", "refused", "failed")
ANSWERED, UNPARSED, EMPTY, INVALID, TRUNCATED, REFUSED, FAILED = range(7)
MISSING = "missing output"
"""The error of a sample that the model gave no output for: a wrong answer, as an empty one is."""

Rows = NDArray[np.int64]
SizeReader = Callable[[Rows], NDArray[np.float64]]
"""Reads width and height of the images of rows, NaN where unknown."""


class SampleBatch(Struct, frozen=True, kw_only=True):
    """Samples of one task."""

    task: Task
    positions: NDArray[np.int64]
    clusters: NDArray[np.uint64]
    """Hashes of what samples share with others, such as their image; a sample that shares nothing has its own."""
    targets: TextColumn | None = None
    """The truths as texts, for scorers that parse whole columns."""
    records: Sequence[Sample] = ()
    """The samples themselves, for scorers that take one at a time."""
    key: int = -1
    """The batch's number within the task, by which fitted statistics find its truths again; −1: none."""
    weights: NDArray[np.float64] | None = None
    """How many samples of the data set each stands for; None: each for itself."""
    sizes: NDArray[np.float64] | None = None
    """Width and height of each sample's image, where coordinates must be converted."""
    size_reader: SizeReader | None = None
    """Reads the sizes of the images of rows where `sizes` is None and only some rows need them."""
    file: str = ""
    """The annotation file that they come from."""
    lines: NDArray[np.int64] | None = None
    """The line of each sample in the file."""
    ids: Sequence[str] | None = None
    """Their ids; None, or an empty one: a sample is named by its file and line."""
    sources: Sequence[str] = ()
    cluster_names: Sequence[str] | None = None
    """What samples share with others as text, where that is not their source."""
    repeats: NDArray[np.int32] | None = None
    """Which repeat of its question each row is; None: each question has one row."""

    def __len__(self) -> int:
        return len(self.positions)

    def read_sizes(self, rows: Rows) -> NDArray[np.float64] | None:
        """Width and height of the images of rows, NaN where unknown; None where none is known."""
        sizes = None if self.sizes is None else self.sizes[rows]
        if self.size_reader is None or not len(rows):
            return sizes
        if sizes is None:
            return self.size_reader(rows)
        missing = np.flatnonzero(np.isnan(sizes).any(axis=1))
        if len(missing):
            sizes[missing] = self.size_reader(rows[missing])
        return sizes

    def take(self, rows: Rows) -> SampleBatch:
        """Some of the samples; it has no key, since fitted statistics are of whole batches."""
        columns = ("positions", "clusters", "weights", "sizes", "lines", "repeats")
        cut = {name: column[rows] for name in columns if (column := getattr(self, name)) is not None}
        lists = ("ids", "sources", "cluster_names", "records")
        for name in lists:
            if column := getattr(self, name):
                cut[name] = [column[row] for row in rows.tolist()]
        targets = None if self.targets is None else self.targets.take(rows)
        return replace(self, **cut, targets=targets, size_reader=None, key=-1)

    def name(self, row: int) -> str:
        """The id of a sample."""
        own = self.ids[row] if self.ids is not None else ""
        return own or f"{self.file}:{0 if self.lines is None else self.lines[row]}"


class ReplyBatch(Struct, frozen=True, kw_only=True):
    """The replies to the samples of a batch, in the same order."""

    texts: TextColumn | None = None
    replied: NDArray[np.bool_] | None = None
    """Where there is a reply at all; None: everywhere."""
    endings: NDArray[np.uint8] | None = None
    """How requests ended, as indices into `STATUSES`: `TRUNCATED`, `REFUSED`, `FAILED`, else `ANSWERED`."""
    messages: Sequence[Explanation] = ()
    """Why each request failed, where `endings` are given; empty where it did not."""
    picture_scales: NDArray[np.float64] | None = None
    """Factors of x and y from pixels of the image that was sent to pixels of the image itself; None: all 1."""
    attempts: Sequence[Sequence[Attempt]] = ()
    """All attempts at each sample, for scorers that take one sample at a time."""
    model: str = ""
    """The model that gave them, by which a reply format may be declared."""

    def take(self, rows: Rows) -> ReplyBatch:
        """Some of the replies."""
        columns = ("replied", "endings", "picture_scales")
        cut = {name: column[rows] for name in columns if (column := getattr(self, name)) is not None}
        texts = None if self.texts is None else self.texts.take(rows)
        return replace(
            self, **cut, texts=texts, messages=[self.messages[row] for row in rows.tolist()] if self.messages else ()
        )


class LenientScores(Struct, frozen=True, kw_only=True):
    """The samples of a batch in three parts: read the same both ways; the others as asked; the others leniently.

    So all is counted once: the strict figures are those of the first and second part, the lenient ones those of the
    first and third.
    """

    same: ScoreBatch
    strict: ScoreBatch
    rescued: ScoreBatch
    same_rows: Rows
    rows: Rows
    """The rows of `strict` and `rescued`."""

    @property
    def parts(self) -> tuple[ScoreBatch, ScoreBatch, ScoreBatch]:
        """The three parts."""
        return self.same, self.strict, self.rescued


class ScoreBatch(Struct, frozen=True, kw_only=True, dict=True):
    """The verdict on each sample of a batch."""

    samples: SampleBatch
    statuses: NDArray[np.uint8]
    """Indices into `STATUSES`."""
    scores: NDArray[np.float64]
    """From 0 to 1; 0 where there is no answer."""
    details: Mapping[str, NDArray[Any]] = {}
    """Values by name that a reader of the grades wants to see, such as `error` or `iou`."""
    reason_indices: NDArray[np.int64] | None = None
    """Why a sample has no score: the index in `reasons`, of which the first is empty."""
    reasons: tuple[Explanation, ...] = ("",)
    off_scale: NDArray[np.bool_] | None = None
    """Where shapes lie so far out of range that another coordinate space was probably meant."""
    parsed: Batch | None = None
    """Truths and replies as columns, of the samples that count (see `counted`); None where samples are records."""
    parser: Any = None
    """The parser of `parsed`: it turns a row into a plain value."""
    grades: Sequence[Grade] = ()
    """The verdicts as records, where the scorer takes one sample at a time."""
    kept_targets: TextColumn | None = None
    """The texts of truths and replies, where the grades table is to keep them."""
    kept_replies: TextColumn | None = None
    sent_sizes: Sequence[Sequence[tuple[int, int]]] = ()
    """Width and height of the images of each sample as they were sent, where images may have been resized."""
    blind: Sequence[Mapping[str, float]] = ()
    """What each reply that a guesser could give would have earned, where that is known."""
    lenient: LenientScores | None = None
    """The lenient reading, where some replies have one that differs."""
    deviations: NDArray[np.uint8] | None = None
    """What was deviant in each reply: indices into `DEVIATIONS`; None: nothing in any."""
    lenient_scores: NDArray[np.float64] | None = None
    """The score of each sample with replies read leniently; None: as `scores`."""
    reaches: NDArray[np.float64] | None = None
    """Largest coordinate of each reply as written in the declared space, and of its truth there; NaN: none."""
    unsized: int = 0
    """Replies that could be read leniently if the sizes of their pictures were known."""

    def __len__(self) -> int:
        return len(self.statuses)

    @cached_property
    def counted(self) -> Rows:
        """The samples that count in the denominator: the model replied to them."""
        return np.flatnonzero((self.statuses != INVALID) & (self.statuses != FAILED))

    @cached_property
    def questions(self) -> Rows:
        """The samples that count, each once: with repeats, the first reply to each question that counts."""
        if self.samples.repeats is None:
            return self.counted
        _, first = np.unique(self.samples.positions[self.counted], return_index=True)
        rows: Rows = self.counted[np.sort(first)]
        return rows

    @cached_property
    def is_whole(self) -> bool:
        """Whether all samples count."""
        return len(self.counted) == len(self)

    def of_counted(self, column: NDArray[Any]) -> NDArray[Any]:
        """The entries of the samples that count."""
        return column if self.is_whole else column[self.counted]

    def status(self, row: int) -> Status:
        """How a sample ended."""
        status: Status = STATUSES[self.statuses[row]]
        return status

    def message(self, row: int) -> Explanation:
        """What the scorer says of a sample; of columns: why it has no score."""
        if self.grades:
            return self.grades[row].message
        return self.reasons[self.reason_indices[row]] if self.reason_indices is not None else ""

    def records(self) -> Sequence[Grade]:
        """The verdicts as records, for metrics that take one at a time; `values` hold `target` and `predicted`."""
        return self.grades or self._built_grades

    @cached_property
    def _built_grades(self) -> list[Grade]:
        rank = {row: number for number, row in enumerate(self.counted.tolist())}
        return [self._grade(row, self._pair(rank.get(row))) for row in range(len(self))]

    def _pair(self, rank: int | None) -> dict[str, Any]:
        """Truth and reply of the sample that is number `rank` among those that count, as plain values."""
        if rank is None or self.parsed is None:
            return {}
        at = np.array([rank])
        predicted = self.parser.value(self.parsed.reply.take(at)) if self.parsed.answered[rank] else None
        return {"target": self.parser.value(self.parsed.truth.take(at)), "predicted": predicted}

    def _grade(self, row: int, pair: dict[str, Any]) -> Grade:
        samples, score = self.samples, float(self.scores[row])
        return Grade(
            sample=samples.name(row),
            task=samples.task.name,
            status=STATUSES[self.statuses[row]],
            score=score,
            last_score=score,
            best_score=score,
            values={**{name: to_plain(column[row]) for name, column in self.details.items()}, **pair},
            cluster=str(samples.clusters[row]),
            weight=1.0 if samples.weights is None else float(samples.weights[row]),
            message=self.message(row),
            position=int(samples.positions[row]),
            source=samples.sources[row] if samples.sources else "",
            repeat=1 if samples.repeats is None else int(samples.repeats[row]),
        )

    def take(self, rows: Rows) -> ScoreBatch:
        """Some of the records; batches of columns are not cut."""
        samples = self.samples
        part = SampleBatch(
            task=samples.task,
            positions=samples.positions[rows],
            clusters=samples.clusters[rows],
            weights=None if samples.weights is None else samples.weights[rows],
            repeats=None if samples.repeats is None else samples.repeats[rows],
        )
        return ScoreBatch(
            samples=part,
            statuses=self.statuses[rows],
            scores=self.scores[rows],
            grades=[self.grades[row] for row in rows.tolist()],
            blind=[self.blind[row] for row in rows.tolist()] if self.blind else (),
        )


def to_plain(value: Any) -> Any:
    """A value of NumPy's own types as plain Python; what is not a number is None."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    return None if isinstance(plain, float) and plain != plain else plain


def hash_clusters(
    names: Sequence[str], positions: NDArray[np.int64], *, as_in_files: bool = False
) -> NDArray[np.uint64]:
    """Hashes of cluster names; a sample without one is a cluster by itself, known by its position.

    `as_in_files`: by the hash of the kernels that read annotation files, since a bootstrap draws clusters in the order
    of their hashes. The other hash needs no kernel, which takes time to load.
    """
    alone = (positions.astype(np.uint64) + np.uint64(1)) * ALONE
    if as_in_files:
        from sightline.data.lines.index import hash_texts

        hashes = hash_texts(TextColumn.of(names))
    else:
        hashes = np.array([stable_hash(name) if name else 0 for name in names], np.uint64)
    return np.where(hashes == 0, alone, hashes)


def batch_samples(
    task: Task,
    positions: Sequence[int],
    samples: Sequence[Sample],
    *,
    as_columns: bool = False,
    repeats: Sequence[int] | None = None,
) -> SampleBatch:
    """A batch of samples that were read one by one, as records or with their truths as a column."""
    places = np.array(positions, np.int64)
    sizes = [one.size or (np.nan, np.nan) for one in samples] if any(one.size for one in samples) else None
    weights = [one.weight for one in samples] if any(one.weight != 1 for one in samples) else None
    return SampleBatch(
        task=task,
        positions=places,
        clusters=hash_clusters([one.cluster for one in samples], places, as_in_files=as_columns),
        targets=TextColumn.of(str(one.target) for one in samples) if as_columns else None,
        records=() if as_columns else samples,
        weights=None if weights is None else np.array(weights, np.float64),
        sizes=None if sizes is None else np.array(sizes, np.float64),
        file=samples[0].tags.get("file", "") if samples else "",
        ids=[one.id for one in samples],
        sources=[one.tags.get("picture", one.source) for one in samples],
        cluster_names=[one.cluster for one in samples],
        repeats=None if repeats is None else np.array(repeats, np.int32),
    )


def batch_grades(
    grades: Sequence[Grade], blind: Sequence[Mapping[str, float]] = (), positions: Sequence[int] = ()
) -> ScoreBatch:
    """Grades that were given elsewhere as a batch of scores; `positions` where the grades themselves have none."""
    numbers = positions or range(len(grades))
    places = np.array(
        [grade.position if grade.position >= 0 else number for number, grade in zip(numbers, grades, strict=True)],
        np.int64,
    )
    samples = SampleBatch(
        task=Task(name=grades[0].task if grades else "", parser="", metrics=()),
        positions=places,
        clusters=hash_clusters([grade.cluster for grade in grades], places),
    )
    return score_grades(samples, grades, blind)


def score_grades(samples: SampleBatch, grades: Sequence[Grade], blind: Sequence[Mapping[str, float]]) -> ScoreBatch:
    """The grades of the samples of a batch as a batch of scores; the weights are those of the grades."""
    weights = np.array([grade.weight for grade in grades], np.float64)
    return ScoreBatch(
        samples=replace(samples, weights=weights if (weights != 1).any() else None),
        statuses=np.array([STATUSES.index(grade.status) for grade in grades], np.uint8),
        scores=np.array([grade.score for grade in grades], np.float64),
        grades=grades,
        blind=blind,
    )

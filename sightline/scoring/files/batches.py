"""One batch of a task, read from an annotation file and an output file."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.interfaces import Task
from sightline.data.lines import LineIndex
from sightline.scoring.batch import ReplyBatch, SampleBatch, ScoreBatch
from sightline.scoring.files.annotation_file import Rows, replies
from sightline.scoring.files.sizes import picture_sizes
from sightline.scoring.task_evaluator import TaskEvaluator


class BatchSpec(Struct, frozen=True, kw_only=True):
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


def read_batch(place: BatchSpec, annotation: LineIndex, output: LineIndex) -> tuple[SampleBatch, ReplyBatch]:
    """The samples and replies of a batch."""
    texts, replied = replies(output, place.partner)
    rows = place.rows
    samples = SampleBatch(
        task=place.task,
        positions=place.positions,
        clusters=place.clusters,
        targets=annotation.texts("gt", rows),
        key=place.key,
        sizes=picture_sizes(annotation, rows) if place.with_sizes else None,
        file=place.file,
        lines=annotation.lines[rows],
        ids=annotation.texts("sample_id", rows).strings() if place.has_ids else None,
        sources=annotation.texts("source", rows).strings(),
    )
    return samples, ReplyBatch(texts=texts, replied=replied)


def score_batch(evaluator: TaskEvaluator, samples: SampleBatch, replies: ReplyBatch, with_texts: bool) -> ScoreBatch:
    """Score a batch by an evaluator that no other thread is using."""
    scores = evaluator.update(samples, replies)
    # the parsed columns are of no use to the grades table, which holds batches until all are there
    bare = replace(scores, parsed=None, parser=None)
    return replace(bare, kept_targets=samples.targets, kept_replies=replies.texts) if with_texts else bare

"""Batches go as shards to an engine; their counts, grades and logs are gathered from the store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import JournalError
from sightline.data.lines.index import subset_rows
from sightline.data.storage import AnyPath, parse_path
from sightline.scoring.engines import Engine
from sightline.scoring.evaluator_codec import pack_survey, unpack
from sightline.scoring.files.annotation_file import AnnotationFile, Chunk
from sightline.scoring.files.model_results import Evaluators, FilePairIndex, ModelResults
from sightline.scoring.files.shards import Receipt, Shard, cut, grade_shard, own_code
from sightline.scoring.files.store import Store, unseal
from sightline.scoring.task_evaluator import TaskEvaluator

if TYPE_CHECKING:
    from sightline.scoring.files.scoring_job import ScoringJob


_UNFIT = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What counts that fit in form, but that no metric has counted, may raise when they are merged."""


class _Sent(Struct, frozen=True):
    """What is remembered of a shard that is under way."""

    model: str
    task: str
    first: int
    """The position of its first sample."""
    samples: int


def grade_in_shards(
    job: ScoringJob,
    sheets: list[AnnotationFile],
    results: dict[str, ModelResults],
    templates: Evaluators,
    engine: Engine,
) -> None:
    """Grade every batch of every model on an engine."""
    config = job.config
    store = Store((parse_path(config.shards) if config.shards else parse_path(config.output_dir) / "shards").resolve())
    surveys = {name: _survey_name(job, templates[name], digest) for name, digest in job.digests.items()}
    for name, survey in surveys.items():
        store.write(survey, pack_survey(templates[name]))
    sent: list[_Sent] = []
    receipts: dict[int, Receipt] = {}
    done = 0
    for end in engine.run(grade_shard, _shards(job, sheets, results, store, surveys, sent)):
        about = sent[end.number]
        if end.value is None:
            results[about.model].lose(about.samples, end.why)
        else:
            receipts[end.number] = end.value
        done += about.samples
        job.watch("grading", done, job.total)
    for one in results.values():
        one.tasks = {name: template.empty_copy() for name, template in templates.items()}
    for number in sorted(receipts):
        about = sent[number]
        key = receipts[number].key
        _gather(store.near(key, job.scratch), about, results[about.model], store.folder(key))


def _survey_name(job: ScoringJob, task: TaskEvaluator, digest: str) -> str:
    """What a survey is kept under: a hash of the truths and of all that decides how they are seen."""
    rules = (version("sightline"), msgspec.structs.asdict(task.task), msgspec.to_builtins(job.suite.reading))
    seen = (digest, rules, job.config.calc_aux_metric, own_code(task.task))
    return f"survey-{hashlib.sha256(repr(seen).encode()).hexdigest()}"


def _shards(
    job: ScoringJob,
    sheets: list[AnnotationFile],
    results: Mapping[str, ModelResults],
    store: Store,
    surveys: Mapping[str, str],
    sent: list[_Sent],
) -> Iterator[Shard]:
    """Every shard of the job, with a line in `sent` for each."""
    for one, turn, chunks in job.turns(sheets, results):
        for task, some in groupby(chunks, key=lambda chunk: chunk.task.name):
            for batches in cut(list(some)):
                shard = _shard(job, turn, batches, surveys.get(task, ""), store)
                sent.append(_Sent(one.model, task, int(shard.places[0].positions[0]), shard.samples))
                yield shard


def _shard(job: ScoringJob, turn: FilePairIndex, chunks: list[Chunk], survey: str, store: Store) -> Shard:
    places = [job.place(turn, chunk) for chunk in chunks]
    partners = np.concatenate([place.partner for place in places])
    has_reply = partners >= 0
    own = np.where(has_reply, np.cumsum(has_reply) - 1, -1)  # each reply's row in the part of the outputs
    moved, first = [], 0
    for place in places:
        after = first + len(place.rows)
        moved.append(replace(place, rows=np.arange(first, after), partner=own[first:after]))
        first = after
    return Shard(
        config=job.config,
        suite=job.suite.name,
        survey=survey,
        store=store.address,
        annotation=subset_rows(turn.sheet.index, np.concatenate([chunk.rows for chunk in chunks])),
        output=subset_rows(turn.output, partners[has_reply]),
        places=tuple(moved),
    )


def _gather(folder: Path, about: _Sent, one: ModelResults, home: AnyPath) -> None:
    """Take one finished shard in; `home` is where it is kept."""
    task = one.tasks[about.task]
    try:
        part = unpack(unseal(folder), task)
        task.merge(part)
    except (OSError, *_UNFIT) as error:
        raise JournalError(
            "The shard {path} is damaged: {why}",
            hint="Remove that folder; the same command makes it again.",
            path=home,
            why=error,
        ) from None
    part.close()
    one.writer.adopt(about.task, about.first, folder)
    one.samples += about.samples

"""Grading of batches in threads, with results in order.

The kernels release the GIL, so threads are enough to use all cores; each has its own evaluators,
which are merged at the end. Sums are exact, so that the number of threads changes no digit. A batch that can't be
graded, because a user's parser or metric fails on it or because we do, is reported and costs its own samples alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from sightline.core.errors import SightlineError
from sightline.scoring.batch import ScoreBatch
from sightline.scoring.engines import MAX_TRIES, format_error
from sightline.scoring.files.annotation_file import AnnotationFile, Chunk, read_batch, score_batch
from sightline.scoring.files.model_results import Evaluators, FilePairIndex, ModelResults
from sightline.scoring.task_evaluator import TaskEvaluator

if TYPE_CHECKING:
    from sightline.scoring.files.scoring_job import ScoringJob


A = TypeVar("A")
B = TypeVar("B")


def in_order(threads: ThreadPoolExecutor, work: Callable[[A], B], jobs: Iterable[A], width: int) -> Iterator[B]:
    """Results in the order of the jobs, with a few under way at a time."""
    under_way: deque[Future[B]] = deque()
    try:
        for job in jobs:
            under_way.append(threads.submit(work, job))
            if len(under_way) > 3 * width:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for left in under_way:
            left.cancel()


class _FailedBatch(Struct, frozen=True):
    """A batch that could not be graded."""

    task: str
    samples: int
    why: str


def grade_in_threads(
    job: ScoringJob,
    annotations: list[AnnotationFile],
    results: dict[str, ModelResults],
    templates: Evaluators,
    threads: ThreadPoolExecutor,
) -> None:
    """Grade every batch of every model."""
    width = job.config.threads
    pools = {model: _pool(templates, width) for model in results}
    lost: dict[tuple[str, str], str] = {}
    done = 0
    for result, pair, chunks in job.file_pairs(annotations, results):
        work = partial(_grade, job, pair, result.model, pools[result.model])
        for end in in_order(threads, work, chunks, width):
            if isinstance(end, _FailedBatch):
                result.add_failure(end.samples, end.why)
                lost[result.model, end.task] = end.why
                samples = end.samples
            else:
                result.writer.add(end)
                samples = len(end)
                result.samples += samples
            done += samples
            job.watch("grading", done, job.total)
    for model, result in results.items():
        workers = [pools[model].get() for _ in range(width)]
        result.tasks = {
            name: _merge_workers(result, [tasks[name] for tasks in workers], lost.get((model, name), ""))
            for name in templates
        }


def _grade(
    job: ScoringJob, pair: FilePairIndex, model: str, pool: SimpleQueue[Evaluators], chunk: Chunk
) -> ScoreBatch | _FailedBatch:
    """Grade one batch in a worker thread, with retries."""
    why = ""
    for _ in range(MAX_TRIES):
        evaluators = pool.get()
        evaluator = evaluators[chunk.task.name]
        try:
            spec = job.batch_spec(pair, chunk, model)
            return score_batch(evaluator, *read_batch(spec, pair.annotation.index, pair.output), spec.with_details)
        except Exception as error:  # whatever it is, it must cost this batch only
            why = _reason(error)
            if evaluator.is_corrupt:
                break
        finally:
            pool.put(evaluators)
    return _FailedBatch(chunk.task.name, len(chunk.rows), why)


def _reason(error: Exception) -> str:
    """First line of our own errors; type and message of any other."""
    return str(error).splitlines()[0] if isinstance(error, SightlineError) else format_error(error)


def _pool(templates: Evaluators, width: int) -> SimpleQueue[Evaluators]:
    pool: SimpleQueue[Evaluators] = SimpleQueue()
    for _ in range(width):
        pool.put({name: template.empty_copy() for name, template in templates.items()})
    return pool


def _merge_workers(result: ModelResults, parts: list[TaskEvaluator], why: str) -> TaskEvaluator:
    """Merge the evaluators of all workers; returns an empty one if any of them is corrupt.

    The grades table is correct even then.
    """
    first, *others = parts
    samples = sum(sum(part.counts.values()) for part in parts)
    is_sound = not any(part.is_corrupt for part in parts)
    try:
        for other in others if is_sound else ():
            first.merge(other)
    except Exception as error:  # never a figure of half the samples
        is_sound, why = False, _reason(error)
    for other in others:
        other.close()
    if is_sound:
        return first
    first.close()
    result.samples -= samples
    result.add_failure(samples, why)
    return first.empty_copy()

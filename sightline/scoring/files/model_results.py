"""Results of one model on annotation files: counts, faults of its files, byte offsets of replies, summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct, field

from sightline.core.errors import StorageError
from sightline.core.interfaces import ColumnSuite
from sightline.core.remarks import Remark, as_remark
from sightline.core.run_paths import RunPaths
from sightline.core.score_config import ScoreConfig
from sightline.data.lines import LineIndex
from sightline.data.lines.row_access import file_entry, join_index, records_by_row
from sightline.data.pairing import Pairing
from sightline.data.position_index import IndexedFile, Records, absent_records, describe_file, make_records
from sightline.data.storage import AnyPath, is_remote, redact
from sightline.scoring.evaluator import Evaluator, add_conclusions
from sightline.scoring.files.annotation_file import AnnotationFile, Chunk, Rows
from sightline.scoring.grades.influences import write_influences
from sightline.scoring.grades.writer import GradesWriter
from sightline.scoring.summary import Summary
from sightline.scoring.task_evaluator import TaskEvaluator

Evaluators = dict[str, TaskEvaluator]
NO_GT = "no gt"
"""Why a row without a truth is invalid; an empty truth is one."""


class ModelResults(Struct, kw_only=True):
    """What a model's outputs came to."""

    model: str
    folder: RunPaths
    writer: GradesWriter
    tasks: Evaluators = {}
    """By task, once all are merged."""
    samples: int = 0
    pending: int = 0
    """Samples that are not scored: of files without an output file or with a damaged one, and of shards that failed."""
    invalid: int = 0
    """Lines that could not become samples."""
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By file and kind."""
    missing_outputs: dict[str, int] = {}
    """Annotation files without an output file, and their samples."""
    damaged_outputs: dict[str, int] = {}
    """Output files that are damaged, and the samples whose output is lost with the rest of the file."""
    failures: Counter[str] = field(default_factory=Counter)
    """Samples of shards and batches that failed, by the reason."""
    encodings: dict[str, str] = {}
    """Files that are not UTF-8, and their encodings."""
    pairing_methods: Counter[str] = field(default_factory=Counter)
    """Number of files by the method of pairing: `sample_id`, `row_number`, `order`, `source` or `task`."""

    replies: list[tuple[IndexedFile, Records]] = []
    """Where the outputs of each annotation file are, in the order of positions."""

    def add_failure(self, samples: int, why: str) -> None:
        """Count samples that could not be graded, by the reason."""
        self.failures[why] += samples
        self.pending += samples


class FilePairIndex(Struct, frozen=True, kw_only=True):
    """One annotation file and one model's outputs for it."""

    annotation: AnnotationFile
    output: LineIndex
    pairing: Pairing


def record_annotation_faults(annotation: AnnotationFile, results: ModelResults) -> None:
    """Count and log the lines of an annotation file that are not valid samples."""
    index = annotation.index
    _note_encoding(index, results)
    results.faults.update({(annotation.name, kind): count for kind, count in index.fault_counts.items()})
    lost = index.row_count - len(index)
    results.invalid += lost
    results.samples += lost
    for fault in index.faults:
        if fault.kind != "invalid UTF-8":
            results.writer.log_invalid(
                f"{annotation.path}:{fault.line}", "", fault.kind, f"{annotation.name}:{fault.line}"
            )
    for name, rows in annotation.unknown_tasks:
        results.invalid += len(rows)
        results.samples += len(rows)
        results.faults[_name_task(annotation, name), "unknown task"] += len(rows)
        _log_rows(annotation, results, rows, name, "unknown task")
    for name, rows in annotation.without_gt:
        results.invalid += len(rows)
        results.samples += len(rows)
        results.faults[annotation.name, NO_GT] += len(rows)
        _log_rows(annotation, results, rows, name, NO_GT)


def _note_encoding(index: LineIndex, results: ModelResults) -> None:
    if index.encoding != "utf-8":
        results.encodings[index.path.name] = index.encoding.upper()


def _log_rows(annotation: AnnotationFile, results: ModelResults, rows: Rows, task: str, why: str) -> None:
    index = annotation.index
    for source, line in zip(index.texts("source", rows).strings(), index.lines[rows].tolist(), strict=True):
        results.writer.log_invalid(source, task, why, f"{annotation.name}:{line}")


def _name_task(annotation: AnnotationFile, name: str) -> str:
    """File and name of an unknown task, with the tasks that may have been meant."""
    meant = " / ".join(annotation.table.suggest(name)) if name else ""
    return f"{annotation.name}, '{name}'" + (f" (→ {meant}?)" if meant else "")


def record_output_faults(pair: FilePairIndex, path: Path, results: ModelResults) -> None:
    """Count and log outputs that are unreadable, without a sample, or replaced by a later one of the same id."""
    results.pairing_methods[pair.pairing.method] += 1
    output, pairing = pair.output, pair.pairing
    _note_encoding(output, results)
    for fault in output.faults:
        results.writer.log_error(f"{path}:{fault.line}", fault.kind)
    unused_rows = {"output without a sample": pairing.unpaired, "duplicate id": pairing.duplicates}
    for kind, count in output.fault_counts.items():
        results.faults[path.name, kind] += count
    if pairing.differing:
        results.faults[path.name, "paired by order though ids, sources or tasks differ"] += pairing.differing
    if pairing.ambiguous:
        results.faults[path.name, "same id or source and same task: paired in the order of lines"] += pairing.ambiguous
    for kind, rows in unused_rows.items():
        if len(rows):
            results.faults[path.name, kind] += len(rows)
        for line in output.lines[rows].tolist():
            results.writer.log_error(f"{path}:{line}", kind)


def without_lost_samples(pair: FilePairIndex, chunks: list[Chunk], results: ModelResults) -> list[Chunk]:
    """The chunks without samples whose output is lost in a damaged file: they are pending, not wrong."""
    if not pair.output.fault_counts["damaged file"]:
        return chunks
    partner = pair.pairing.partner
    kept = [Chunk(chunk.task, chunk.rows[partner[chunk.rows] >= 0], chunk.key) for chunk in chunks]
    lost = sum(len(chunk.rows) for chunk in chunks) - sum(len(chunk.rows) for chunk in kept)
    if lost:
        results.damaged_outputs[pair.output.path.name] = lost
        results.pending += lost
    return [chunk for chunk in kept if len(chunk.rows)]


def locate_replies(pair: FilePairIndex, folder: Path) -> tuple[IndexedFile, Records]:
    """Where the reply to each row of an annotation file is; in a packed output file, the number of its row."""
    output, index = pair.output, pair.annotation.index
    records = absent_records(index.row_count)
    has_reply = pair.pairing.partner >= 0
    rows = pair.pairing.partner[has_reply]
    column = output.column("model_output").take(rows)
    offsets = column.offsets if output.has_file_spans() else rows
    records[index.row_numbers[has_reply]] = make_records(offsets, column.lengths, column.flags)
    path, count = output.path, index.row_count
    if is_remote(path):
        return IndexedFile(name=path.name, path=redact(path.url), size=-1, mtime_ns=0, count=count), records
    return describe_file(path, path.name, count, folder, output.has_file_spans()), records


def without_replies(name: str, count: int) -> tuple[IndexedFile, Records]:
    """The positions of an annotation file that has no outputs."""
    return IndexedFile(name=name, path="", size=0, mtime_ns=0, count=count), absent_records(count)


def save_indexes(annotations: list[AnnotationFile], data: AnyPath, models: Iterable[ModelResults]) -> None:
    """Write where samples and replies are into the folder of each model."""
    samples = None
    if not is_remote(data) and all(annotation.index.has_file_spans() for annotation in annotations):
        base = data.parent if data.is_file() else data
        samples = join_index(
            (
                file_entry(annotation.index, annotation.name, annotation.index.row_count, base),
                records_by_row(annotation.index),
            )
            for annotation in annotations
        )
    for results in models:
        try:
            results.folder.sample_index.unlink(missing_ok=True)
            join_index(results.replies).save(results.folder.reply_index)
            if samples is not None:
                samples.save(results.folder.sample_index)
        except OSError as error:
            raise StorageError(
                "Cannot write into {folder}: {why}", folder=results.folder.path, why=error.strerror
            ) from None


MOST_FAULTS = 12


def summarize(results: ModelResults, config: ScoreConfig, suite: ColumnSuite) -> Summary:
    """All figures of a model."""
    evaluator = Evaluator(suite, auxiliary=config.calc_aux_metric)
    evaluator.tasks = results.tasks
    evaluator.model = results.model
    evaluator.unknown["invalid"] = results.invalid
    summary = evaluator.summary()
    write_influences(results.folder.influences, evaluator.influences)
    summary.model = results.model
    summary.samples, summary.pending = results.samples + results.pending, results.pending
    summary.facts = _facts(results)
    summary.deviations = _deviations(config, suite)
    summary.notes = [*_notes(results), *summary.notes]
    return add_conclusions(suite, summary)


def _facts(results: ModelResults) -> list[Remark]:
    words = {
        "sample_id": "by sample_id",
        "row_number": "by the row number in sample_id",
        "order": "by the order of lines",
        "source": "by source",
        "task": "by task and the order of lines",
    }
    read = [
        Remark("{file} was read as {encoding}.", {"file": file, "encoding": encoding})
        for file, encoding in results.encodings.items()
    ]
    return read + [
        Remark("1 file was paired with its outputs {way}.", {"way": Remark(words[way])})
        if count == 1
        else Remark("{count} files were paired with their outputs {way}.", {"count": count, "way": Remark(words[way])})
        for way, count in results.pairing_methods.items()
    ]


def _deviations(config: ScoreConfig, suite: ColumnSuite) -> list[Remark]:
    deviations = []
    if config.limit is not None:
        deviations.append(Remark("only the first {count} samples", {"count": config.limit}))
    if config.limit_per_task is not None:
        deviations.append(Remark("only the first {count} samples of each task", {"count": config.limit_per_task}))
    if suite.wanted:
        deviations.append(Remark("only the tasks {tasks}", {"tasks": ", ".join(suite.wanted)}))
    if suite.reading.labels:
        count = len(suite.reading.labels)
        deviations.append(Remark("labels unified by a mapping of {count} entries", {"count": count}))
    if config.task_config or config.defaults:
        deviations.append(Remark("user-defined tasks"))
    if suite.reading.coords != suite.reading.truth_coords:
        spaces = {"source": suite.reading.coords, "target": suite.reading.truth_coords}
        deviations.append(Remark("coordinates converted from {source} to {target}", spaces))
    if suite.reading.known_fault:
        deviations.append(Remark("scored with a known fault: {fault}", {"fault": suite.reading.known_fault}))
    return deviations


def _notes(results: ModelResults) -> list[Remark]:
    notes = []
    if results.missing_outputs:
        files = ", ".join(list(results.missing_outputs)[:5]) + (" …" if len(results.missing_outputs) > 5 else "")
        facts = {"files": files, "count": sum(results.missing_outputs.values())}
        notes.append(Remark("No outputs for {files}: {count} samples are not scored.", facts))
    for file, count in results.damaged_outputs.items():
        facts = {"file": file, "count": count}
        notes.append(Remark("{file} is damaged: {count} samples after the damage are not scored.", facts))
    for why, count in results.failures.items():
        facts = {"count": count, "why": why}
        notes.append(Remark("{count} samples could not be graded after three attempts: {why}", facts))
    if any(what == "invalid UTF-8" for _, what in results.faults):
        notes.append(Remark("Some texts are not valid UTF-8. If the files are GBK, use --encoding gbk."))
    for (where, what), count in results.faults.most_common(MOST_FAULTS):
        notes.append(Remark("{where}: {what}: {count}", {"where": where, "what": as_remark(what), "count": count}))
    return notes

"""What a model's outputs came to, and what was wrong with its files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from msgspec import Struct, field

from sightline.core.run_paths import RunPaths
from sightline.data.lines import LineIndex
from sightline.data.pairing import Pairing
from sightline.data.position_index import IndexedFile, Records
from sightline.scoring.files.annotation_file import AnnotationFile, Chunk
from sightline.scoring.grades.writer import GradesWriter
from sightline.scoring.task_evaluator import TaskEvaluator

Evaluators = dict[str, TaskEvaluator]


class ModelResults(Struct, kw_only=True):
    """What a model's outputs came to."""

    model: str
    folder: RunPaths
    writer: GradesWriter
    tasks: Evaluators = {}
    """By task, once all are merged."""
    samples: int = 0
    pending: int = 0
    """Samples that are not scored: of files without an output file or a damaged one, and of shards that failed."""
    invalid: int = 0
    """Lines that could not become samples."""
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By file and kind."""
    absent: dict[str, int] = {}
    """Annotation files without an output file, and their samples."""
    torn: dict[str, int] = {}
    """Output files that are damaged, and the samples whose output is lost with the rest of the file."""
    lost: Counter[str] = field(default_factory=Counter)
    """Why shards failed, and their samples."""
    ways: Counter[str] = field(default_factory=Counter)
    """How files were paired, counted."""

    replies: list[tuple[IndexedFile, Records]] = []
    """Where the outputs of each annotation file are, in the order of positions."""

    def lose(self, samples: int, why: str) -> None:
        """Note samples that could not be graded."""
        self.lost[why] += samples
        self.pending += samples


class FilePairIndex(Struct, frozen=True, kw_only=True):
    """One annotation file and one model's outputs for it."""

    sheet: AnnotationFile
    output: LineIndex
    pairing: Pairing


def note_sheet(sheet: AnnotationFile, one: ModelResults) -> None:
    """Lines of the annotation file that are no samples."""
    index = sheet.index
    one.faults.update({(sheet.name, kind): count for kind, count in index.fault_counts.items()})
    lost = index.row_count - len(index)
    one.invalid += lost
    one.samples += lost
    for fault in index.faults:
        if fault.kind != "invalid UTF-8":
            one.writer.refuse(f"{sheet.path}:{fault.line}", "", fault.kind, f"{sheet.name}:{fault.line}")
    for name, rows in sheet.strange:
        one.invalid += len(rows)
        one.samples += len(rows)
        one.faults[f"{sheet.name}, '{name}'", "unknown task"] += len(rows)
        for source, line in zip(index.texts("source", rows).strings(), index.lines[rows].tolist(), strict=True):
            one.writer.refuse(source, name, "unknown task", f"{sheet.name}:{line}")


def note_output(turn: FilePairIndex, place: Path, one: ModelResults) -> None:
    """Outputs that could not be read, that nobody wanted, or that another replaced."""
    one.ways[turn.pairing.method] += 1
    output, pairing = turn.output, turn.pairing
    for fault in output.faults:
        one.writer.complain(f"{place}:{fault.line}", "", fault.kind, "")
    told = {"output without a sample": pairing.unpaired, "duplicate id": pairing.duplicates}
    for kind, count in output.fault_counts.items():
        one.faults[place.name, kind] += count
    if pairing.differing:
        one.faults[place.name, "paired by order though ids or sources differ"] += pairing.differing
    for kind, rows in told.items():
        if len(rows):
            one.faults[place.name, kind] += len(rows)
        for line in output.lines[rows].tolist():
            one.writer.complain(f"{place}:{line}", "", kind, "")


def without_torn(turn: FilePairIndex, chunks: list[Chunk], one: ModelResults) -> list[Chunk]:
    """Of a damaged output file only the samples that have an output: the others are lost, which is not to be wrong."""
    if not turn.output.fault_counts["damaged file"]:
        return chunks
    partner = turn.pairing.partner
    kept = [Chunk(chunk.task, chunk.rows[partner[chunk.rows] >= 0], chunk.key) for chunk in chunks]
    lost = sum(len(chunk.rows) for chunk in chunks) - sum(len(chunk.rows) for chunk in kept)
    if lost:
        one.torn[turn.output.path.name] = lost
        one.pending += lost
    return [chunk for chunk in kept if len(chunk.rows)]

"""Pairing of annotations with outputs: files by name, rows by id, by order or by source, with regard to their task.

Unpaired rows are reported, never dropped. Order is used only if neither ids, sources nor tasks contradict it: outputs
of parallel workers come in any order.

Rows are compared by 64-bit hashes of their texts: the probability of a collision among a million different ids is
about 1 in 40 million, so the texts themselves are not read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.core.errors import DataError
from sightline.data.storage import AnyPath

if TYPE_CHECKING:
    from sightline.data.lines import LineIndex

SUFFIXES = tuple(suffix + packed for packed in ("", ".gz", ".zst") for suffix in (".txt", ".jsonl", ".json"))
"""Supported suffixes, by precedence among files that differ only in the suffix."""
OUTPUT_ENDING = "_output"


class FilePair(Struct, frozen=True):
    """An annotation file, its output file if there is one, and their common name."""

    name: str
    annotation: AnyPath
    output: AnyPath | None


def find_pairs(
    annotations: AnyPath, outputs: AnyPath, pattern: str = "", recursive: bool = False
) -> tuple[list[FilePair], list[AnyPath]]:
    """Pairs sorted by name, and unpaired output files. Each of the two paths is a file or a folder.
    The output of `X.txt` is `X_output` with any suffix, else the file of the same name, else `X` with any suffix.
    """
    if annotations.is_file() and outputs.is_file():
        return [FilePair(_strip_suffix(annotations.name), annotations, outputs)], []
    samples, replies = _candidate_files(annotations, recursive), _candidate_files(outputs, recursive)
    if annotations.is_dir() and annotations.resolve() == outputs.resolve():
        samples = {name: path for name, path in samples.items() if not _strip_suffix(name).endswith(OUTPUT_ENDING)}
    annotation_paths = {path.resolve() for path in samples.values()}
    replies = {name: path for name, path in replies.items() if path.resolve() not in annotation_paths}
    output_names = {name: _output_of(name, replies) for name in sorted(samples)}
    pairs = [
        FilePair(_pair_name(name, output_names), samples[name], replies.get(output))
        for name, output in output_names.items()
        if fnmatchcase(samples[name].name, pattern or "*")
    ]
    if not pairs:
        raise DataError(
            "No annotation file in {path}: looked for {wanted}.",
            hint="Such files end with {suffixes}; in a folder that holds both, X_output is the output of X.",
            path=annotations,
            wanted=pattern or "*" + ", *".join(SUFFIXES[:3]),
            suffixes=", ".join(SUFFIXES[:3]),
        )
    # outputs beside a single annotation file may belong to others: they are not reported as unpaired
    unpaired = set() if annotations.is_file() else replies.keys() - output_names.values()
    return pairs, [replies[name] for name in sorted(unpaired)]


def _output_of(name: str, replies: dict[str, AnyPath]) -> str:
    """The name of the output of an annotation file; empty if there is none."""
    stem = _strip_suffix(name)
    candidates = (
        [f"{stem}{OUTPUT_ENDING}{suffix}" for suffix in SUFFIXES] + [name] + [stem + suffix for suffix in SUFFIXES]
    )
    return next((candidate for candidate in candidates if candidate in replies), "")


def _pair_name(name: str, names: Iterable[str]) -> str:
    """The name without its suffix, unless another file differs only in the suffix."""
    stem = _strip_suffix(name)
    return name if any(stem + suffix in names for suffix in SUFFIXES if stem + suffix != name) else stem


def _candidate_files(root: AnyPath, recursive: bool) -> dict[str, AnyPath]:
    """Files with a supported suffix by their relative POSIX paths, with the suffix in lower case.

    Hidden files are skipped. Symbolic links to files are followed, those to folders are not: they could form a loop.
    """
    if root.is_file():
        return {_normalize_name(root.name): root}
    files: dict[str, AnyPath] = {}
    folders = [root]
    while folders:
        for path in sorted(_entries(folders.pop())):
            if path.name.startswith("."):
                continue
            if path.is_file() and _strip_suffix(path.name) != path.name:
                files.setdefault(_normalize_name(path.relative_to(root).as_posix()), path)
            elif recursive and path.is_dir() and not path.is_symlink():
                folders.append(path)
    return files


def _entries(folder: AnyPath) -> list[AnyPath]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise DataError("Cannot read {path}: {why}", path=folder, why=error.strerror) from None


def _normalize_name(name: str) -> str:
    stem = _strip_suffix(name)
    return stem + name[len(stem) :].lower()


def _strip_suffix(name: str) -> str:
    """The name without a supported suffix."""
    ending = next((suffix for suffix in reversed(SUFFIXES) if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)]


ID_FIELD: Final = "sample_id"
SOURCE_FIELD: Final = "source"
TASK_FIELD: Final = "task"
Rows = NDArray[np.int64]
Hashes = NDArray[np.uint64]
_NUMBERED_ID = re.compile(r"(.*)__([0-9]{1,15})\Z", re.DOTALL)


class TaskCodes(NamedTuple):
    """The task of each row of both files as a number, equal where two names mean the same task; 0: not known."""

    annotation: Rows
    output: Rows

    def decide(self) -> bool:
        """Whether both files name a task in common: names that only one of them uses say nothing about pairs."""
        return bool(np.intersect1d(self.annotation[self.annotation > 0], self.output[self.output > 0]).size)


class Pairing(Struct, frozen=True):
    """The output row of each valid annotation row, and the unpaired output rows. Every output row is in one of them."""

    method: Literal["sample_id", "row_number", "order", "source", "task"]
    partner: Rows
    """For each valid annotation row the row of its output; −1 if there is none."""
    unpaired: Rows
    """Output rows without an annotation row."""
    duplicates: Rows
    """Output rows replaced by a later one with the same id."""
    differing: int = 0
    """Number of pairs by order whose ids, sources or tasks differ."""
    ambiguous: int = 0
    """Number of pairs that the order of lines decided among rows with the same id or source and task."""


def pair_rows(annotation: LineIndex, output: LineIndex, tasks: TaskCodes | None = None) -> Pairing:
    """Pair by `sample_id` if every row has one, or if those of the outputs are `STEM__INDEX` of the annotation file;
    else by order if both files have the same number of rows, unless the existing ids, sources or tasks pair every
    output otherwise; else by `source`. Rows that share an id or a source are told apart by their task.
    """
    empty = np.empty(0, np.int64)
    if tasks is not None and not tasks.decide():
        tasks = None
    if _all_have_ids(output):
        if _all_have_ids(annotation):
            return _by_id(annotation.hashes(ID_FIELD), output.hashes(ID_FIELD), tasks)
        if (numbered := _by_row_number(annotation, output)) is not None:
            return numbered
    if annotation.row_count == output.row_count:
        return _by_order(annotation, output, tasks)
    if SOURCE_FIELD not in annotation.fields or SOURCE_FIELD not in output.fields:
        return Pairing(SOURCE_FIELD, np.full(len(annotation), -1, np.int64), np.arange(len(output)), empty)
    match = _match_values(annotation.hashes(SOURCE_FIELD), output.hashes(SOURCE_FIELD), tasks)
    return Pairing(SOURCE_FIELD, match.partner, _unpaired_rows(len(output), match.partner), empty, 0, match.ambiguous)


def _all_have_ids(index: LineIndex) -> bool:
    return ID_FIELD in index.fields and bool(index.has(ID_FIELD).all())


def _by_row_number(annotation: LineIndex, output: LineIndex) -> Pairing | None:
    """Pair by ids such as `ships__17`: the name of the annotation file and the number of a row.

    Numbers begin with 0, unless none is 0 and one equals the number of rows: then with 1.
    """
    if not len(output) or (ID_FIELD in annotation.fields and annotation.has(ID_FIELD).any()):
        return None
    stem = _strip_suffix(annotation.path.name)
    first = _NUMBERED_ID.match(output.texts(ID_FIELD, np.array([0]))[0].strip())
    if first is None or first[1] not in (stem, stem + OUTPUT_ENDING):
        return None
    matches = [_NUMBERED_ID.match(text.strip()) for text in output.texts(ID_FIELD, np.arange(len(output))).strings()]
    numbers = np.array([int(match[2]) if match and match[1] == first[1] else -1 for match in matches], np.int64)
    if (numbers < 0).any():
        return None
    numbers -= bool(numbers.min() > 0 and numbers.max() == annotation.row_count)
    last = np.full(annotation.row_count, -1, np.int64)
    is_row = numbers < annotation.row_count
    last[numbers[is_row]] = np.flatnonzero(is_row)  # of two with one number the later one counts
    partner = last[annotation.row_numbers]
    unpaired = _unpaired_rows(len(output), partner)
    is_replaced = is_row[unpaired]
    is_replaced[is_replaced] = last[numbers[unpaired[is_replaced]]] != unpaired[is_replaced]
    return Pairing("row_number", partner, unpaired[~is_replaced], unpaired[is_replaced])


def _by_order(annotation: LineIndex, output: LineIndex, tasks: TaskCodes | None) -> Pairing:
    empty = np.empty(0, np.int64)
    row_at_number = np.full(output.row_count, -1, np.int64)
    row_at_number[output.row_numbers] = np.arange(len(output))
    partner = row_at_number[annotation.row_numbers]
    has_partner = partner >= 0
    kept = partner[has_partner]
    other_tasks = 0
    if tasks is not None:
        known = (tasks.annotation[has_partner] > 0) & (tasks.output[kept] > 0)
        other_tasks = int((known & (tasks.annotation[has_partner] != tasks.output[kept])).sum())
    differing = other_tasks
    for field in (ID_FIELD, SOURCE_FIELD):
        if field not in annotation.fields or field not in output.fields:
            continue
        annotation_hashes, output_hashes = annotation.hashes(field), output.hashes(field)
        annotation_values, output_values = annotation_hashes[has_partner], output_hashes[kept]
        differ = int(((annotation_values != 0) & (output_values != 0) & (annotation_values != output_values)).sum())
        if differ or (other_tasks and output_hashes.any()):
            by_value = _by_hash(annotation_hashes, output_hashes, tasks)
            if not len(_unpaired_rows(len(output), by_value.partner)):
                return Pairing(field, by_value.partner, empty, empty, 0, by_value.ambiguous)
        differing = max(differing, differ)
    if tasks is not None and other_tasks and differing == other_tasks:
        same = np.ones(len(annotation), np.uint64), np.ones(len(output), np.uint64)
        by_task = _match_values(*same, tasks)
        if not len(_unpaired_rows(len(output), by_task.partner)):
            return Pairing(TASK_FIELD, by_task.partner, empty, empty, 0, by_task.ambiguous)
    return Pairing("order", partner, _unpaired_rows(len(output), partner), empty, differing)


def _by_hash(annotation_hashes: Hashes, output_hashes: Hashes, tasks: TaskCodes | None) -> _ValueMatch:
    """Pair the k-th row of an id or source with its k-th output; outputs without a value fill the gaps in order."""
    match = _match_values(annotation_hashes, output_hashes, tasks)
    without_value, gaps = np.flatnonzero(output_hashes == 0), np.flatnonzero(match.partner < 0)
    count = min(len(without_value), len(gaps))
    match.partner[gaps[:count]] = without_value[:count]
    return match


def _by_id(annotation_hashes: Hashes, output_hashes: Hashes, tasks: TaskCodes | None) -> Pairing:
    """Pair the k-th row of an id with its k-th output; a unique id gets the last output, which replaces the others."""
    match = _HashMatch(annotation_hashes, output_hashes)
    repeated = _match_values(annotation_hashes, output_hashes, None if match.is_single.all() else tasks)
    partner = repeated.partner
    partner[match.is_single] = match.last()[match.is_single]
    unpaired = _unpaired_rows(len(output_hashes), partner)
    singles = np.sort(annotation_hashes[match.is_single & (partner >= 0)])
    is_replaced = _contains(singles, output_hashes[unpaired])
    return Pairing(ID_FIELD, partner, unpaired[~is_replaced], unpaired[is_replaced], 0, repeated.ambiguous)


class _ValueMatch(NamedTuple):
    partner: Rows
    ambiguous: int
    """Pairs of rows that another annotation row can't be told from."""


def _match_values(annotation_hashes: Hashes, output_hashes: Hashes, tasks: TaskCodes | None) -> _ValueMatch:
    """Pair the k-th row of a value and task with its k-th output, then outputs of unknown task by their value alone."""
    if tasks is None:
        match = _HashMatch(annotation_hashes, output_hashes)
        partner = match.in_order()
        return _ValueMatch(partner, int(((partner >= 0) & ~match.is_single).sum()))
    with_task = np.where(tasks.output > 0, _with_task(output_hashes, tasks.output), 0)
    match = _HashMatch(_with_task(annotation_hashes, tasks.annotation), with_task)
    partner = match.in_order()
    ambiguous = int(((partner >= 0) & ~match.is_single).sum())
    open_rows, open_outputs = np.flatnonzero(partner < 0), np.flatnonzero(tasks.output == 0)
    if len(open_rows) and len(open_outputs):
        rest = _HashMatch(annotation_hashes[open_rows], output_hashes[open_outputs])
        found = rest.in_order()
        partner[open_rows] = np.where(found >= 0, open_outputs[found], -1)
        ambiguous += int(((found >= 0) & ~rest.is_single).sum())
    return _ValueMatch(partner, ambiguous)


def _with_task(hashes: Hashes, tasks: Rows) -> Hashes:
    """Hashes of values and tasks together; 0 where there is no value."""
    mixed = (hashes ^ tasks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)
    return np.where(hashes == 0, np.uint64(0), mixed)


class _HashMatch:
    """Rows of two files with equal hashes (sort-merge join); both are sorted once, so that searches are sequential."""

    def __init__(self, annotation_hashes: Hashes, output_hashes: Hashes) -> None:
        order, their_order = _sort_order(annotation_hashes), _sort_order(output_hashes)
        ordered, their_ordered = annotation_hashes[order], output_hashes[their_order]
        positions = np.arange(len(annotation_hashes))
        is_first, is_last = np.ones(len(annotation_hashes), bool), np.ones(len(annotation_hashes), bool)
        is_first[1:] = is_last[:-1] = ordered[1:] != ordered[:-1]
        self._order, self._their_order = order, their_order
        self._rank = positions - np.maximum.accumulate(np.where(is_first, positions, 0))
        self._low = np.searchsorted(their_ordered, ordered, "left")
        self._high = np.searchsorted(their_ordered, ordered, "right")
        self._high[ordered == 0] = 0  # an empty text has no partner
        self.is_single = np.zeros(len(annotation_hashes), bool)
        """Whether the hash of an annotation row is unique."""
        self.is_single[order] = is_first & is_last

    def in_order(self) -> Rows:
        """Pair the k-th row of a hash with the k-th output."""
        return self._rows(self._low + self._rank)

    def last(self) -> Rows:
        """Pair each row with the last output of the same hash."""
        return self._rows(np.maximum(self._high - 1, self._low))

    def _rows(self, positions: Rows) -> Rows:
        """Map sorted positions back to rows."""
        is_match = positions < self._high
        partner = np.full(len(positions), -1, np.int64)
        partner[self._order[is_match]] = self._their_order[positions[is_match]]
        return partner


def _sort_order(hashes: Hashes) -> Rows:
    """The stable sort order; without duplicates the default sort gives the same result, and is much faster."""
    order = np.argsort(hashes)
    ordered = hashes[order]
    return np.argsort(hashes, kind="stable") if (ordered[1:] == ordered[:-1]).any() else order


def _contains(ordered: Hashes, hashes: Hashes) -> NDArray[np.bool_]:
    if not len(ordered):
        return np.zeros(len(hashes), bool)
    positions = np.minimum(np.searchsorted(ordered, hashes), len(ordered) - 1)
    is_contained: NDArray[np.bool_] = ordered[positions] == hashes
    return is_contained


def _unpaired_rows(count: int, partner: Rows) -> Rows:
    """The output rows that are not the partner of any row."""
    is_taken = np.zeros(count, bool)
    is_taken[partner[partner >= 0]] = True
    return np.flatnonzero(~is_taken)

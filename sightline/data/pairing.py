"""Pairing of annotations with outputs: files by name, rows by id, by order or by source.

Unpaired rows are reported, never dropped. Order is used only if neither ids nor sources contradict it: outputs of
parallel workers come in any order.

Rows are compared by 64-bit hashes of their texts: the probability of a collision among a million different ids is
about 1 in 40 million, so the texts themselves are not read again.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, Literal

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
Rows = NDArray[np.int64]
Hashes = NDArray[np.uint64]


class Pairing(Struct, frozen=True):
    """The output row of each valid annotation row, and the unpaired output rows. Every output row is in one of them."""

    method: Literal["sample_id", "order", "source"]
    partner: Rows
    """For each valid annotation row the row of its output; −1 if there is none."""
    unpaired: Rows
    """Output rows without an annotation row."""
    duplicates: Rows
    """Output rows replaced by a later one with the same id."""
    differing: int = 0
    """Number of pairs by order whose ids or sources differ."""


def pair_rows(annotation: LineIndex, output: LineIndex) -> Pairing:
    """Pair by `sample_id` if every row has one; else by order if both files have the same number of rows, unless the
    existing ids or sources pair every output otherwise; else by `source`.
    """
    empty = np.empty(0, np.int64)
    if _all_have_ids(annotation) and _all_have_ids(output):
        return _by_id(annotation.hashes(ID_FIELD), output.hashes(ID_FIELD))
    if annotation.row_count == output.row_count:
        return _by_order(annotation, output)
    if SOURCE_FIELD not in annotation.fields or SOURCE_FIELD not in output.fields:
        return Pairing(SOURCE_FIELD, np.full(len(annotation), -1, np.int64), np.arange(len(output)), empty)
    partner = _HashMatch(annotation.hashes(SOURCE_FIELD), output.hashes(SOURCE_FIELD)).in_order()
    return Pairing(SOURCE_FIELD, partner, _unpaired_rows(len(output), partner), empty)


def _all_have_ids(index: LineIndex) -> bool:
    return ID_FIELD in index.fields and bool(index.has(ID_FIELD).all())


def _by_order(annotation: LineIndex, output: LineIndex) -> Pairing:
    empty = np.empty(0, np.int64)
    row_at_number = np.full(output.row_count, -1, np.int64)
    row_at_number[output.row_numbers] = np.arange(len(output))
    partner = row_at_number[annotation.row_numbers]
    has_partner = partner >= 0
    differing = 0
    for field in (ID_FIELD, SOURCE_FIELD):
        if field not in annotation.fields or field not in output.fields:
            continue
        annotation_hashes, output_hashes = annotation.hashes(field), output.hashes(field)
        annotation_values, output_values = annotation_hashes[has_partner], output_hashes[partner[has_partner]]
        differ = int(((annotation_values != 0) & (output_values != 0) & (annotation_values != output_values)).sum())
        if differ:
            by_value = _by_hash(annotation_hashes, output_hashes)
            if not len(_unpaired_rows(len(output), by_value)):
                return Pairing(field, by_value, empty, empty)
        differing = max(differing, differ)
    return Pairing("order", partner, _unpaired_rows(len(output), partner), empty, differing)


def _by_hash(annotation_hashes: Hashes, output_hashes: Hashes) -> Rows:
    """Pair the k-th row of an id or source with its k-th output; outputs without a value fill the gaps in order."""
    partner = _HashMatch(annotation_hashes, output_hashes).in_order()
    without_value, gaps = np.flatnonzero(output_hashes == 0), np.flatnonzero(partner < 0)
    count = min(len(without_value), len(gaps))
    partner[gaps[:count]] = without_value[:count]
    return partner


def _by_id(annotation_hashes: Hashes, output_hashes: Hashes) -> Pairing:
    """Pair the k-th row of an id with its k-th output; a unique id gets the last output, which replaces the others."""
    match = _HashMatch(annotation_hashes, output_hashes)
    partner = match.in_order()
    partner[match.is_single] = match.last()[match.is_single]
    unpaired = _unpaired_rows(len(output_hashes), partner)
    singles = np.sort(annotation_hashes[match.is_single & (partner >= 0)])
    is_replaced = _contains(singles, output_hashes[unpaired])
    return Pairing(ID_FIELD, partner, unpaired[~is_replaced], unpaired[is_replaced])


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

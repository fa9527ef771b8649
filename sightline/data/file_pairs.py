"""Pairing of annotation files with output files by name."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from msgspec import Struct

from sightline.core.errors import DataError
from sightline.data.storage import AnyPath

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
        raise DataError("Can't read {path}: {why}", path=folder, why=error.strerror) from None


def _normalize_name(name: str) -> str:
    stem = _strip_suffix(name)
    return stem + name[len(stem) :].lower()


def _strip_suffix(name: str) -> str:
    """The name without a supported suffix."""
    ending = next((suffix for suffix in reversed(SUFFIXES) if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)]

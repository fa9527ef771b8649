"""Lookup of the suite that scores annotation files: by name, by task, or by the tasks in the files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sightline.core.errors import SightlineError, UsageError
from sightline.core.interfaces import ColumnSuite
from sightline.core.registry import find, is_built_in, names
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import table
from sightline.data.lines.decompression import DecompressedStream
from sightline.data.pairing import find_pairs
from sightline.data.storage import AnyPath, parse_path

HEAD = 4 << 20
"""Bytes at the head of an annotation file that are searched for tasks; more where a row is longer."""
_MAX_FILES = 8


def column_suite(config: ScoreConfig, name: str = "", task: str = "") -> ColumnSuite:
    """The suite of that name; else the one that has the given task, the tasks asked for, or those of the files.

    Raises `UsageError` if several suites have them, or none.
    """
    if name:
        kind = find("suites", name)
        if not issubclass(kind, ColumnSuite):
            raise UsageError("The suite '{suite}' does not score annotation files.", suite=name)
        return _make(kind, config)
    kinds: dict[str, type[ColumnSuite]] = {known: find("suites", known) for known in column_suite_names()}
    if len(kinds) == 1:
        return _make(next(iter(kinds.values())), config)
    suites, faults = _make_all(kinds, config)
    if not suites and faults:
        raise faults[0]
    owners = _owners(suites, config, task)
    if len(owners) == 1:
        return suites[owners[0]]
    if owners:
        raise UsageError(
            "Several suites score these tasks: {listed}",
            hint="Choose the suite with --suite NAME, or suite=… in Python",
            listed=", ".join(owners),
        )
    raise UsageError(
        "None of the suites that score files has these tasks: {listed}",
        hint="Choose the suite with --suite NAME, or suite=… in Python",
        listed=", ".join(suites),
    )


def column_suite_names() -> list[str]:
    """All suites that score annotation files, built-in ones first."""
    found = [name for name in names("suites") if issubclass(find("suites", name), ColumnSuite)]
    return sorted(found, key=lambda name: (not is_built_in("suites", name), name))


def _make(kind: type[ColumnSuite], config: ScoreConfig) -> ColumnSuite:
    """A suite with those of its options that scoring knows; its others have their defaults."""
    known = set(ScoreConfig.__struct_fields__)
    options = {row.name: getattr(config, row.name) for row in table(kind.options_type) if row.name in known}
    suite = kind(kind.options_type(**options))
    # wrong names are reported before any file is opened
    _ = suite.wanted, suite.reading, suite.rename
    return suite


def _make_all(
    kinds: dict[str, type[ColumnSuite]], config: ScoreConfig
) -> tuple[dict[str, ColumnSuite], list[SightlineError]]:
    """The suites that the settings suit, and why others could not be made: they may name a task of another suite."""
    made, faults = {}, []
    for name, kind in kinds.items():
        try:
            made[name] = _make(kind, config)
        except SightlineError as error:
            faults.append(error)
    return made, faults


def _owners(suites: dict[str, ColumnSuite], config: ScoreConfig, task: str) -> list[str]:
    """Names of the suites that have the task; without one, those with most of the tasks in the annotation files."""
    if task:
        return [name for name, suite in suites.items() if suite.table.get(task) is not None]
    if config.task or not config.anno_path:  # suites without a wanted task could not be made
        return list(suites)
    known = {name: _known_tasks(suite, config) for name, suite in suites.items()}
    most = max(known.values(), default=0)
    return [name for name, count in known.items() if count == most > 0]


def _known_tasks(suite: ColumnSuite, config: ScoreConfig) -> int:
    """Count the tasks at the head of the annotation files that a suite has."""
    path = parse_path(config.anno_path)
    pairs, _ = find_pairs(path, path, config.pattern, config.recursive) if path.is_dir() else ([], [])
    files = [pair.annotation for pair in pairs[:_MAX_FILES]] or [path]
    named = {task for path in files for task in _tasks_in(path, suite)}
    return sum(suite.table.get(task) is not None for task in named)


def _tasks_in(path: AnyPath, suite: ColumnSuite) -> set[str]:
    """Return the tasks named in the first rows of a file."""
    from sightline.data.lines import index_file

    for data, is_whole in _heads(path):
        with tempfile.TemporaryDirectory(prefix="sightline-") as folder:
            suffix = ".json" if ".json" in [part.lower() for part in path.suffixes] else ".txt"
            head = Path(folder) / f"head{suffix}"
            head.write_bytes(data)
            with index_file(head, ("task",), suite.rename, encoding=suite.encoding) as index:
                if len(index) or is_whole:
                    return {text.strip() for text in index.texts("task", np.arange(len(index)))}
    return set()


def _heads(path: AnyPath) -> Iterator[tuple[bytes, bool]]:
    """Yield growing heads of a file, and whether each is the whole file."""
    stream = DecompressedStream(path)
    data = b""
    room = memoryview(bytearray(1 << 20))
    try:
        for size in (HEAD, 16 * HEAD, 128 * HEAD):
            count = 1
            while count and len(data) < size:
                count = stream.fill(room)
                data += bytes(room[:count])
            yield data, not count
    finally:
        stream.close()

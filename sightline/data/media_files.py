"""Media files that the samples of a single-file dataset refer to: images, videos and texts beside the data file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from sightline.core.records import Invalid, Sample


def find_media_files(data: Path, samples: Iterable[Sample | Invalid]) -> dict[str, Path]:
    """The media files of all samples, by their paths relative to the folder of the data file."""
    files: dict[str, Path] = {}
    for sample in samples:
        if isinstance(sample, Sample):
            for media in sample.media:
                if media.path and media.span is None:
                    add_media_file(files, data, media.path)
    return files


def add_media_file(files: dict[str, Path], data: Path, path: str) -> None:
    """Add one file under its relative POSIX path, which is the same on every system."""
    if Path(path).is_file() and not data.samefile(path):
        files[Path(os.path.relpath(path, data.parent)).as_posix()] = Path(path)

"""Names of result paths: given as NAME=PATH, or taken from the folder or file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from sightline.core.errors import UsageError


def named_paths(texts: Iterable[str]) -> dict[str, str]:
    """The result path of each model by its name: the given one, or that of the folder or file."""
    paths: dict[str, str] = {}
    for text in texts:
        label, path = _split_name(text)
        if label in paths:
            raise UsageError(
                "Two result folders are called '{name}'.", hint="Name them: --model-result-path A=DIR", name=label
            )
        paths[label] = path
    return paths


def _split_name(text: str) -> tuple[str, str]:
    """Split NAME=PATH; folders and addresses may contain an equals sign, and a name never includes secrets."""
    name, equals, path = text.partition("=")
    if equals and "://" not in name and "::" not in name and not Path(text).exists():
        return name.strip(), path
    if "://" not in text and "::" not in text:
        return Path(text).resolve().stem, text
    parts = text.split("::")
    if not text.startswith(("zip://", "tar://")):
        parts.reverse()  # the member of data.zip::member is the last
    stripped = [part.partition("?")[0].rpartition("://")[2].rpartition("@")[2] for part in parts]
    return next(filter(None, (PurePosixPath(part).stem for part in stripped)), "model"), text

"""Default configuration files: the settings of scoring and the tables that suites ship, written out to be changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sightline.core.errors import StorageError, UsageError
from sightline.core.registry import find, names
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import table
from sightline.i18n import tr

SETTINGS_FILE = "score.toml"


def write_default_files(folder: Path, overwrite: bool = False) -> list[Path]:
    """Write them into a folder; raises `UsageError` where one is there already and is not to be replaced."""
    from sightline.reports.plots.data import VIS_CONFIG

    sources = {name: path for suite in names("suites") for name, path in find("suites", suite).default_files.items()}
    files = {name: path.read_text(encoding="utf-8") for name, path in sources.items()}
    files |= {VIS_CONFIG.name: VIS_CONFIG.read_text(encoding="utf-8"), SETTINGS_FILE: settings_text()}
    present = [name for name in sorted(files) if (folder / name).exists()]
    if present and not overwrite:
        raise UsageError(
            "{folder} already has {files}.",
            hint="Choose another folder, or replace them with --overwrite.",
            folder=folder,
            files=", ".join(present),
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError("Cannot write into {folder}: {why}", folder=folder, why=error.strerror) from None
    return [folder / name for name in sorted(files)]


def settings_text() -> str:
    """All settings of scoring as TOML, each with its meaning and its default, switched off."""
    parts = []
    for row in table(ScoreConfig):
        known = f" ({', '.join(filter(None, row.choices))})" if row.choices else ""
        parts.append(f"# {tr(row.help)}{known}\n#{row.name} = {_toml(row.default)}\n")
    return "\n".join(parts)


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return json.dumps(list(value))
    return '""' if value is None else json.dumps(value, ensure_ascii=False)

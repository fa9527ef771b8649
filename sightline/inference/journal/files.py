"""The parts of a journal: `journal.jsonl`, and `journal.NAME.jsonl` of each process that asked beside the first."""

from __future__ import annotations

import re
from pathlib import Path

MAIN = "main"
_NAME = re.compile(r"[\w-]{1,80}")


def journal_file(journal: Path, name: str) -> Path:
    """Where the part of a name is."""
    return journal if name == MAIN else journal.with_name(f"{journal.stem}.{name}{journal.suffix}")


def journal_files(journal: Path) -> list[Path]:
    """All parts that are there, the main one first; links may lead anywhere and are none."""
    found = [journal] if journal.exists() else []
    if journal.suffix:
        for path in sorted(journal.parent.glob(f"{journal.stem}.*{journal.suffix}")):
            name = path.name[len(journal.stem) + 1 : -len(journal.suffix)]
            if _NAME.fullmatch(name) and path.is_file() and not path.is_symlink():
                found.append(path)
    return found

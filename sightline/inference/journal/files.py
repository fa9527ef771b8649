"""Files of a journal: `journal.jsonl`, and one `journal.NAME.jsonl` for each further process of the run."""

from __future__ import annotations

import re
from pathlib import Path

MAIN = "main"
_NAME = re.compile(r"[\w-]{1,80}")


def journal_file(journal: Path, name: str) -> Path:
    """The path of the journal file with a name."""
    return journal if name == MAIN else journal.with_name(f"{journal.stem}.{name}{journal.suffix}")


def journal_files(journal: Path) -> list[Path]:
    """All existing files of a journal, the main one first; symbolic links are ignored, as they may lead anywhere."""
    paths = [journal] if journal.exists() else []
    if journal.suffix:
        for path in sorted(journal.parent.glob(f"{journal.stem}.*{journal.suffix}")):
            name = path.name[len(journal.stem) + 1 : -len(journal.suffix)]
            if _NAME.fullmatch(name) and path.is_file() and not path.is_symlink():
                paths.append(path)
    return paths

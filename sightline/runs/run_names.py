"""Run names: `last`, `last~2` and any unique part of a folder's name stand for a run wherever one is expected."""

from __future__ import annotations

import os
import re
from difflib import SequenceMatcher
from pathlib import Path

from sightline.core.config import RunConfig
from sightline.core.errors import DataError
from sightline.runs.run_list import find_run_folders, run_name, sort_by_start

_LAST = re.compile(r"last(?:~(\d{1,9}))?")
_MOST_LISTED = 10
_LEAST_SIMILARITY = 0.5


def runs_folder() -> Path:
    """The folder that holds the run folders: SIGHTLINE_OUTPUT_DIR, or `runs`."""
    return Path(os.environ.get("SIGHTLINE_OUTPUT_DIR") or RunConfig().output_dir)


def resolve_run(name: str | Path, folder: Path | None = None) -> Path:
    """The run folder that a path or a name stands for.

    A path to a run, or to a folder of runs, is taken as it is. `last` is the run that was started last, `last~1` the
    one before it; otherwise the one run whose name contains the text. Names are looked up below `folder` (by default
    `runs_folder()`); `DIR/last` and `DIR/PART` are looked up below DIR.
    """
    path = Path(name)
    if _holds_runs(path) or not path.as_posix().strip("./"):
        return path
    root, text = folder or runs_folder(), path.as_posix()
    if path.name != text and path.parent.is_dir():
        root, text = path.parent, path.name
    if match := _LAST.fullmatch(text):
        return _nth_last(root, text, int(match[1] or 0))
    found = {run_name(run, root): run for run in find_run_folders(root)}
    if text in found:
        return found[text]
    matches = [known for known in found if text.casefold() in known.casefold()]
    if len(matches) == 1:
        return found[matches[0]]
    if path.exists():  # whoever opens it says what is missing there
        return path
    if matches:
        raise _ambiguous(root, text, matches)
    raise _unknown(root, text, list(found))


def _holds_runs(path: Path) -> bool:
    """Whether a path is a run folder, or a folder with runs directly inside."""
    try:
        return (path / "manifest.json").exists() or next(path.glob("*/manifest.json"), None) is not None
    except (OSError, ValueError):
        return False


def _nth_last(root: Path, text: str, back: int) -> Path:
    runs = sort_by_start(root)
    if not runs:
        raise _no_runs(root)
    if back >= len(runs):
        raise DataError(
            "There is no {name}: {folder} holds {count} runs.",
            hint="List the runs: sightline list {folder}",
            name=text,
            folder=root,
            count=len(runs),
        )
    return runs[-1 - back]


def _no_runs(root: Path) -> DataError:
    return DataError("There are no runs in {folder}.", hint="Make one: sightline demo", folder=root)


def _ambiguous(root: Path, text: str, matches: list[str]) -> DataError:
    listed = [f"- {match}" for match in sorted(matches)[-_MOST_LISTED:]]
    if len(matches) > _MOST_LISTED:
        listed.insert(0, "- …")
    return DataError(
        "'{name}' matches {count} runs in {folder}:\n{listed}",
        hint="Give more of the name.",
        name=text,
        count=len(matches),
        folder=root,
        listed="\n".join(listed),
    )


def _unknown(root: Path, text: str, known: list[str]) -> DataError:
    if not known:
        return DataError(
            "No run matches '{name}': there are no runs in {folder}.",
            hint="Make one: sightline demo",
            name=text,
            folder=root,
        )
    near = nearest_run(text, known)
    return DataError(
        "No run in {folder} matches '{name}'. Did you mean '{near}'?"
        if near
        else "No run in {folder} matches '{name}'.",
        hint="List the runs: sightline list {folder}",
        name=text,
        folder=root,
        near=near,
    )


def nearest_run(text: str, known: list[str]) -> str:
    """The run whose name, or a part of it between underscores or hyphens, is most similar; empty where none is."""
    wanted = text.casefold()

    def similarity(name: str) -> float:
        whole = name.casefold()
        pieces = {whole, whole.partition("_")[2], *whole.split("_"), *re.split("[_-]", whole)}
        return max(SequenceMatcher(None, wanted, piece).ratio() for piece in pieces)

    # of equally similar names the newest: names begin with the time
    score, name = max(((similarity(name), name) for name in known), default=(0.0, ""))
    return name if score >= _LEAST_SIMILARITY else ""

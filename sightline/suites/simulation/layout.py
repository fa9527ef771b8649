"""File layout of a data set: its question file and media, for both numbering schemes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from sightline.core.errors import DataError
from sightline.core.records import Remark
from sightline.data.json_decoding import read_json_file

FOLDERS = {"image": "images", "video": "videos", "text": "text"}
_SUFFIXES = {
    "image": (".png", ".jpg", ".jpeg", ".webp", ".bmp"),
    "video": (".gif", ".mp4", ".webm", ".mov", ".avi", ".mkv"),
    "text": (".txt", ".md"),
}


class Domain(Struct, frozen=True, kw_only=True):
    """One domain of the question file, with its files on disk."""

    name: str
    folder: Path
    questions: dict[str, str]
    answers: dict[str, dict[str, Any]]
    """By simulation, by question id."""
    on_disk: dict[str, str]
    """The name on disk of each simulation."""

    @property
    def renumbered(self) -> bool:
        """Whether the names on disk differ from those of the question file."""
        return any(name != disk for name, disk in self.on_disk.items())

    def find(self, simulation: str, modality: str) -> Path | None:
        """Return the media file of a simulation, or None if it is missing."""
        folder = self.folder / FOLDERS[modality]
        for suffix in _SUFFIXES[modality]:
            path = folder / f"{self.on_disk[simulation]}{suffix}"
            if path.is_file():
                return path
        return None


def question_file(data: Path) -> Path:
    """Return the path of the question file."""
    if data.is_file():
        return data
    if not data.is_dir():
        raise DataError(
            "There is no data set at {data}.",
            hint="Make one with `sightline generate {suite} --out DIR`, or check --data.",
            data=data,
            suite="simulation",
        )
    found = sorted([*data.glob("benchmark/*.json"), *data.glob("*.json")])
    if not found:
        raise DataError(
            "{data} holds no question file.",
            hint="Expected {data}/benchmark/*.json and {data}/data/<domain>/<images, videos, text>.",
            data=data,
        )
    return found[0]


def read_domains(data: Path) -> list[Domain]:
    """Read the domains of the data set; raises an error that explains a faulty question file."""
    path = question_file(data)
    try:
        content = read_json_file(path)
    except OSError as error:
        raise DataError("Can't read {path}: {why}", path=path, why=error.strerror) from None
    except ValueError as error:
        raise DataError("{path} can't be read: {why}", path=path, why=error) from None
    try:
        return [_domain(name, block, path) for name, block in content.items()]
    except (AttributeError, KeyError, TypeError) as error:
        raise DataError(
            "{path} has not the form of a question file: {why}",
            hint="Expected {form}",
            path=path,
            why=f"{type(error).__name__} {error}",
            form='{"DOMAIN": {"questions": [{"qid", "question"}], "files": {"File_1": {"answers": {QID: true}}}}}',
        ) from None


def _domain(name: str, block: Mapping[str, Any], path: Path) -> Domain:
    root = path.parent.parent if path.parent.name == "benchmark" else path.parent
    folder = root / "data" / name if (root / "data").is_dir() else root / name
    simulations = list(block["files"])
    return Domain(
        name=name,
        folder=folder,
        questions={str(row["qid"]): str(row["question"]) for row in block["questions"]},
        answers={simulation: dict(block["files"][simulation]["answers"]) for simulation in simulations},
        on_disk=_names_on_disk(folder, simulations),
    )


def _names_on_disk(folder: Path, simulations: list[str]) -> dict[str, str]:
    """Map to the names of the question file if any of them exists, else to files numbered from 1 in its order."""
    present = {path.stem for kind in FOLDERS.values() for path in (folder / kind).glob("*")}
    safe = [name for name in simulations if Path(name).name == name and name not in ("", ".", "..")]
    if present & set(safe) or not any(f"File_{k}" in present for k in range(1, len(safe) + 1)):
        return {name: name for name in safe}
    return {name: f"File_{number}" for number, name in enumerate(safe, 1)}


def describe_layout(data: Path) -> list[Remark]:
    """Describe the layout of each domain."""
    told = []
    for domain in read_domains(data):
        name, disk = next(iter(domain.on_disk.items()), ("–", "–"))
        if domain.renumbered:
            facts = {"domain": domain.name, "name": name, "disk": disk}
            told.append(Remark("{domain}: numbered from 1 on disk ({name} is {disk})", facts))
        else:
            told.append(Remark("{domain}: names on disk as in the question file", {"domain": domain.name}))
    return told

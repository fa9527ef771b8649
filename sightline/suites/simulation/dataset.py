"""Data set on disk: file layout, question file and media, read one simulation after the other.

Missing files are reported, never skipped.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from sightline.core.errors import DataError, MediaError
from sightline.core.interfaces import Dataset
from sightline.core.records import Invalid, Media, Sample
from sightline.core.registry import unknown
from sightline.core.remarks import Explanation, Remark
from sightline.data.json_decoding import read_json_file
from sightline.data.media import is_image
from sightline.data.video import frame_times
from sightline.suites.simulation.scorer import physical_law

if TYPE_CHECKING:
    from sightline.suites.simulation.suite import Options


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

    def find(self, simulation: str, modality: str) -> str | None:
        """Return the media file of a simulation, or None if it is missing."""
        start = os.path.join(self.folder, FOLDERS[modality], self.on_disk[simulation])  # noqa: PTH118  # for each sample
        return next((start + suffix for suffix in _SUFFIXES[modality] if os.path.isfile(start + suffix)), None)  # noqa: PTH113


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
        raise DataError("Cannot read {path}: {why}", path=path, why=error.strerror) from None
    except ValueError as error:
        raise DataError("Cannot read {path}: {why}", path=path, why=error) from None
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
    remarks = []
    for domain in read_domains(data):
        name, disk = next(iter(domain.on_disk.items()), ("–", "–"))
        if domain.renumbered:
            facts = {"domain": domain.name, "name": name, "disk": disk}
            remarks.append(Remark("{domain}: numbered from 1 on disk ({name} is {disk})", facts))
        else:
            remarks.append(Remark("{domain}: names on disk as in the question file", {"domain": domain.name}))
    return remarks


class SimulationDataset(Dataset):
    """Samples by modality, domain, simulation and question; positions follow from the question file alone."""

    has_random_access = True

    def __init__(self, path: Path, options: Options, modalities: tuple[str, ...]) -> None:
        self._path, self._options, self._modalities = path, options, modalities
        self._last_group: tuple[_Group, list[Sample | Invalid]] | None = None

    @cached_property
    def _question_file(self) -> Path:
        return question_file(self._path)

    @cached_property
    def _groups(self) -> list[_Group]:
        """The questions on one simulation in one modality, in order."""
        selected = self._options.domain
        domains = [domain for domain in read_domains(self._path) if not selected or domain.name in selected]
        known = [simulation for domain in domains for simulation in domain.answers]
        for name in self._options.files:
            if name not in known:
                raise unknown("simulation", name, known)
        if not known:
            raise DataError("{path} lists no simulation.", path=self._question_file)
        return [
            _Group(domain, simulation, modality)
            for modality in self._modalities
            for domain in domains
            for simulation in domain.answers
            if not self._options.files or simulation in self._options.files
        ]

    @cached_property
    def _ends(self) -> list[int]:
        """The position after the last question of each group."""
        return list(accumulate(len(group.question_ids) for group in self._groups))

    def __iter__(self) -> Iterator[Sample | Invalid]:
        return (sample for group in self._groups for sample in self._samples(group))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, position: int) -> Sample | Invalid:
        if not 0 <= position < len(self):
            raise IndexError(position)
        number = bisect_right(self._ends, position)
        group = self._groups[number]
        if self._last_group is None or self._last_group[0] is not group:
            self._last_group = group, list(self._samples(group))
        return self._last_group[1][position - self._ends[number]]  # counted back from the end of the group

    def find(self, sample_id: str) -> int | None:
        """The position of a question, by its id."""
        ids = (group.sample_id(qid) for group in self._groups for qid in group.question_ids)
        return next((position for position, name in enumerate(ids) if name == sample_id), None)

    def _samples(self, group: _Group) -> Iterator[Sample | Invalid]:
        domain, simulation = group.domain, group.simulation
        media, problem = _media(domain, simulation, group.modality, self._options)
        for qid in group.question_ids:
            question, target = domain.questions.get(qid, ""), domain.answers[simulation].get(qid)
            tags = {"domain": domain.name, "file": simulation, "modality": group.modality, "qid": qid}
            if law := physical_law(question):
                tags["law"] = law
            common: dict[str, Any] = {
                "id": group.sample_id(qid),
                "task": domain.name,
                "source": f"{self._question_file.name}#{domain.name}/{simulation}/{qid}",
                "tags": tags,
            }
            cluster = f"{domain.name}/{simulation}"
            if reason := problem or _fault(question, target):
                yield Invalid(reason=reason, **common)
            else:
                yield Sample(question=question, target=target, media=media, cluster=cluster, **common)


class _Group(NamedTuple):
    """The questions on one simulation, put in one modality."""

    domain: Domain
    simulation: str
    modality: str

    @property
    def question_ids(self) -> list[str]:
        """Ids of the questions of the domain, then those that only the answer key has."""
        return list(dict.fromkeys([*self.domain.questions, *self.domain.answers[self.simulation]]))

    def sample_id(self, qid: str) -> str:
        return f"{self.modality}/{self.domain.name}/{self.simulation}/{qid}"


def _fault(question: str, target: object) -> str:
    if not question:
        return "the answer key names a question that is not asked"
    if not isinstance(target, bool):
        return "the answer key holds neither true nor false"
    return ""


def _media(domain: Domain, simulation: str, modality: str, options: Options) -> tuple[tuple[Media, ...], Explanation]:
    """Return the media of a simulation, or the reason why they cannot be used."""
    if simulation not in domain.on_disk:
        return (), "unsafe name"
    path = domain.find(simulation, modality)
    where = f"{domain.name}/{FOLDERS[modality]}/{domain.on_disk[simulation]}"
    if path is None:
        return (), Remark("missing media: {name}", {"name": f"{where}.*"})
    if modality == "text":
        fault = _fault_of_report(path)
        if fault:
            return (), Remark("{kind}: {why}", {"kind": Remark(fault), "why": where})
        return (Media(kind="text", path=path),), ""
    if modality == "image" and not is_image(path):
        return (), Remark("not an image: {name}", {"name": where})
    if modality == "image" or options.video_mode == "native":
        return (Media(kind="image" if modality == "image" else "video", path=path),), ""
    try:
        times = frame_times(path, options.fps)
    except MediaError as error:
        return (), error.remark
    return tuple(Media(kind="image", path=path, at_second=time) for time in times), ""


def _fault_of_report(path: str) -> str:
    try:
        return "" if Path(path).read_text(encoding="utf-8-sig").strip() else "empty report"
    except UnicodeDecodeError:
        return "the report is not UTF-8"
    except OSError:
        return "missing media"

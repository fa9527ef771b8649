"""Data set on disk: file layout, question file and media, read one simulation after the other.

Missing files are reported, never skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sightline.core.errors import DataError, MediaError
from sightline.core.records import Invalid, Media, Remark, Sample
from sightline.core.registry import unknown
from sightline.data.image_format import is_image
from sightline.data.json_decoding import read_json_file
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


def read(data: Path, options: Options, modalities: tuple[str, ...]) -> Iterator[Sample | Invalid]:
    """Yield samples by modality, domain, simulation and question."""
    domains = [domain for domain in read_domains(data) if not options.domain or domain.name in options.domain]
    known = [simulation for domain in domains for simulation in domain.answers]
    for name in options.files:
        if name not in known:
            raise unknown("simulation", name, known)
    path = question_file(data)
    if not known:
        raise DataError("{path} lists no simulation.", path=path)
    for modality, domain in product(modalities, domains):
        for simulation in domain.answers:
            if not options.files or simulation in options.files:
                yield from _simulation(domain, simulation, modality, options, path)


def _simulation(
    domain: Domain, simulation: str, modality: str, options: Options, path: Path
) -> Iterator[Sample | Invalid]:
    media, problem = _media(domain, simulation, modality, options)
    answers = domain.answers[simulation]
    for qid in dict.fromkeys([*domain.questions, *answers]):
        question, target = domain.questions.get(qid, ""), answers.get(qid)
        tags = {"domain": domain.name, "file": simulation, "modality": modality, "qid": qid}
        if law := physical_law(question):
            tags["law"] = law
        common: dict[str, Any] = {
            "id": f"{modality}/{domain.name}/{simulation}/{qid}",
            "task": domain.name,
            "source": f"{path.name}#{domain.name}/{simulation}/{qid}",
            "tags": tags,
        }
        reason = problem or _fault(question, target)
        if reason:
            yield Invalid(reason=reason, **common)
        else:
            yield Sample(question=question, target=target, media=media, cluster=f"{domain.name}/{simulation}", **common)


def _fault(question: str, target: object) -> str:
    if not question:
        return "the answer key names a question that is not asked"
    if not isinstance(target, bool):
        return "the answer key holds neither true nor false"
    return ""


def _media(domain: Domain, simulation: str, modality: str, options: Options) -> tuple[tuple[Media, ...], str]:
    """Return the media of a simulation, or the reason why they cannot be used."""
    if simulation not in domain.on_disk:
        return (), "unsafe name"
    path = domain.find(simulation, modality)
    where = f"{domain.name}/{FOLDERS[modality]}/{domain.on_disk[simulation]}"
    if path is None:
        return (), f"missing media: {where}.*"
    if modality == "text":
        fault = _fault_of_report(path)
        return ((), f"{fault}: {where}") if fault else ((Media(kind="text", path=str(path)),), "")
    if modality == "image" and not is_image(path):
        return (), f"no picture: {where}"
    if modality == "image" or options.video_mode == "native":
        return (Media(kind="image" if modality == "image" else "video", path=str(path)),), ""
    try:
        times = frame_times(str(path), options.fps)
    except MediaError as error:
        return (), str(error)
    return tuple(Media(kind="image", path=str(path), at_second=time) for time in times), ""


def _fault_of_report(path: Path) -> str:
    try:
        return "" if path.read_text(encoding="utf-8-sig").strip() else "empty report"
    except UnicodeDecodeError:
        return "the report is not UTF-8"
    except OSError:
        return "missing media"

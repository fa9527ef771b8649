"""Reader of a data set folder, one simulation after the other; missing files are reported, never skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.core.errors import DataError, MediaError
from sightline.core.records import Invalid, Media, Sample
from sightline.core.registry import unknown
from sightline.data.image_format import is_image
from sightline.data.video import frame_times
from sightline.suites.simulation.layout import FOLDERS, Domain, question_file, read_domains
from sightline.suites.simulation.questions import physical_law

if TYPE_CHECKING:
    from sightline.suites.simulation import Options


def read(data: Path, options: Options, modalities: tuple[str, ...]) -> Iterator[Sample | Invalid]:
    """Yield samples by modality, domain, simulation and question."""
    domains = [domain for domain in read_domains(data) if not options.domain or domain.name in options.domain]
    known = [simulation for domain in domains for simulation in domain.answers]
    for name in options.files:
        if name not in known:
            raise unknown("simulation", name, known)
    if not known:
        raise DataError("{path} lists no simulation.", path=question_file(data))
    path = question_file(data)
    for modality in modalities:
        for domain in domains:
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

"""Writer of the data set: question file, still images, animations and reports."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sightline.suites.simulation.dataset import FOLDERS
from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.pictures import render
from sightline.suites.simulation.generator.plan import DomainKinds
from sightline.suites.simulation.generator.report import format_report
from sightline.suites.simulation.generator.rng import ParameterRng


def write(out: Path, cases: Iterable[tuple[DomainKinds, Case]], seed: int) -> None:
    """Write all cases, then the question file with their answers."""
    content: dict[str, Any] = {}
    for number, (domain, case) in enumerate(cases, 1):
        name = f"File_{number}"
        block = content.setdefault(domain.name, _block(domain))
        block["files"][name] = {"answers": case.answers}
        write_case(out / "data" / domain.name, name, case, ParameterRng(seed, number))
    path = out / "benchmark" / "questions.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8", newline="\n")


def _block(domain: DomainKinds) -> dict[str, Any]:
    questions = [{"qid": question.qid, "question": question.text} for question in domain.questions]
    return {"description": domain.description, "questions": questions, "files": {}}


def write_case(folder: Path, name: str, case: Case, draw: ParameterRng) -> None:
    """Write the still image, animation and report of one case."""
    image, video, text = (folder / FOLDERS[kind] for kind in ("image", "video", "text"))
    for place in (image, video, text):
        place.mkdir(parents=True, exist_ok=True)
    look = render.draw_look(draw, case)
    render.draw_still(case, look, draw).save(image / f"{name}.png", compress_level=6)
    frames = render.draw_film(case, look, draw)
    first, *others = frames
    first.save(
        video / f"{name}.gif", save_all=True, append_images=others, duration=render.MILLISECONDS, loop=0, optimize=False
    )
    if render.can_write_mp4():
        render.write_mp4(video / f"{name}.mp4", frames, render.MILLISECONDS)
    (text / f"{name}.txt").write_text(format_report(case, draw), encoding="utf-8", newline="\n")

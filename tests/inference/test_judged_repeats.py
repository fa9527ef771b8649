"""A judge of a run with repeats: every reply is judged, and more repeats keep the verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sightline import evaluate, generate
from tests.support.worlds import journal, server


def test_the_judge_sees_every_repeat(tmp_path: Path) -> None:
    data = generate("matrix", tmp_path / "data", count=1, seed=1, kind=("image_description",))
    given: dict[str, Any] = {"data": str(data), "model": "m", "output_dir": str(tmp_path / "runs"), "judge": "j"}
    given |= {"cache_path": str(tmp_path / "cache"), "temperature": 1.0}
    with server("--draws", "--log", tmp_path / "log", "--bodies", tmp_path / "bodies") as base:
        result = evaluate("matrix", api_base=base, repeats=2, **given)
        replies = {(line["sample"], line.get("repeat", 1)): line["text"] for line in journal(result.folder)}
        more = evaluate("matrix", api_base=base, repeats=3, **given)
    verdicts = [line for line in journal(result.folder / "judge") if line["type"] == "answer"]
    samples = {sample for sample, _ in replies}
    assert more.folder == result.folder and len(replies) == 2 * len(samples)
    assert {line["sample"] for line in verdicts} == {
        f"{sample}{suffix}" for sample in samples for suffix in ("", "#2", "#3")
    }
    assert len(verdicts) == 2 * 3 * len(samples), "the verdicts on the first two repeats are kept"
    asked = [json.loads(line) for line in (tmp_path / "bodies").read_text().splitlines()]
    judged = [json.dumps(body) for body in asked if body["model"] == "j"]
    assert all(any(f"Answer 1:\\n{reply}\\n" in body for body in judged) for reply in set(replies.values()))

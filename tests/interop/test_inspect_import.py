"""Logs that Inspect has written: sample by sample what its own reader gives."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sightline.api.evaluation import score
from sightline.core.errors import DataError
from sightline.interop.importing import ImportRequest, import_files
from tests.support.peers import Peer
from tests.support.reply_server import serving
from tests.support.worlds import environment

inspect_log = Peer("inspect_ai.log")
inspect_runs = Peer("tests.support.inspect_runs")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One evaluation of Inspect's own, as an archive and as JSON: two epochs, pictures, a sample that broke."""
    folder = tmp_path_factory.mktemp("logs")
    program = Path(__file__).parents[1] / "support" / "inspect_runs.py"
    with serving(["Yes", "Yes", "No", "No"]) as base:
        done = subprocess.run(
            [sys.executable, program, "ships", str(folder), base],
            env={**environment(), "HOME": str(folder), "XDG_DATA_HOME": str(folder)},
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.eval")
    return {"eval": path, "json": folder / "log.json"}


def lines_of(folder: Path) -> list[dict[str, Any]]:
    (path,) = folder.glob("*.txt")
    return sorted(map(json.loads, path.read_text(encoding="utf-8").splitlines()), key=lambda row: str(row["sample_id"]))


@pytest.mark.parametrize("kind", ["eval", "json"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_samples_are_those_of_inspects_own_reader(logs: dict[str, Path], kind: str, tmp_path: Path) -> None:
    done = import_files(ImportRequest(format="inspect", source=logs[kind], out=tmp_path / "in", task="VQA1"))
    assert done.samples == done.replies == 4 and done.faults == 2
    assert all("ended with an error" in str(why) for _, why in done.first)
    theirs = {
        f"{one.id}" + (f"#{one.epoch}" if one.epoch > 1 else ""): one
        for one in asyncio.run(inspect_log.read_eval_log_async(str(logs[kind]), resolve_attachments=True)).samples or []
        if one.error is None
    }
    truths, replies = lines_of(tmp_path / "in" / "anno"), lines_of(tmp_path / "in" / "output")
    assert [row["sample_id"] for row in truths] == sorted(theirs)
    for truth, reply in zip(truths, replies, strict=True):
        one = theirs[truth["sample_id"]]
        assert reply["model_output"] == one.output.completion and truth["gt"] == "".join(one.target)
        assert truth["prompt"] == (one.input if isinstance(one.input, str) else inspect_runs.LONG)
        assert ("frames" in truth) == (not isinstance(one.input, str))
    framed = [base64.b64decode(row["frames"][0]) for row in truths if "frames" in row]
    assert framed == [inspect_runs.picture(), inspect_runs.picture()]
    right = sum(truth["gt"] == reply["model_output"] for truth, reply in zip(truths, replies, strict=True))
    report = score(tmp_path / "in" / "anno", tmp_path / "in" / "output", output_dir=str(tmp_path / "out"))
    assert report.value("VQA1", "accuracy") == right / 4 and 0 < right < 4


def test_both_kinds_of_log_say_the_same(logs: dict[str, Path], tmp_path: Path) -> None:
    for kind, path in logs.items():
        import_files(ImportRequest(format="inspect", source=path, out=tmp_path / kind, task="VQA1"))
    for part in ("anno", "output"):
        assert lines_of(tmp_path / "eval" / part) == lines_of(tmp_path / "json" / part)


def test_hostile_members_are_passed_over(tmp_path: Path) -> None:
    good = {
        "id": "a",
        "epoch": 1,
        "input": "?",
        "target": "Yes",
        "output": {"choices": [{"message": {"content": "Yes"}}]},
    }
    odd: list[Any] = [
        *([], 3, {"id": None}, {"id": "b", "output": {"choices": 7}, "input": 3, "target": None, "messages": 9}),
        {"id": "c", "output": {"choices": [{"message": {"content": [{"text": 5}, 8]}}]}, "attachments": [1]},
    ]
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("samples/../../evil.json", json.dumps(good))
        archive.writestr("samples/broken.json", "{")
        archive.writestr("samples/deep.json", "[" * 100_000)
        for number, one in enumerate(odd):
            archive.writestr(f"samples/{number}.json", json.dumps(one))
    done = import_files(ImportRequest(format="inspect", source=tmp_path / "log.eval", out=tmp_path / "in", task="VQA1"))
    assert done.faults == 5 and done.samples == 3
    assert not list(tmp_path.parent.rglob("evil.json"))
    (tmp_path / "no.eval").write_bytes(b"PK no archive")
    with pytest.raises(DataError, match="Cannot read"):
        import_files(ImportRequest(format="inspect", source=tmp_path / "no.eval", out=tmp_path / "no", task="VQA1"))

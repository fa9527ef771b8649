"""All suites against llama.cpp, a server that nobody here wrote: pictures, concurrency, kills, schemas, a judge."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline.api.evaluation import evaluate, generate
from sightline.core.config import RunConfig
from sightline.core.interfaces import Request
from sightline.core.records import Message, Prompt, Reply, Sample, Text
from sightline.core.registry import load_suite
from sightline.models import make_model
from tests.support.real_servers import LAYERS, llama_server
from tests.support.worlds import environment, journal, only_run, sightline_here, write_questions

pytestmark = pytest.mark.slow

SUITES = ("structural", "simulation", "matrix", "remote-sensing")
RECIPES: dict[str, dict[str, Any]] = {
    "structural": {"category": ("beam",), "difficulty": "1"},
    "simulation": {"fields": "exact"},
    "matrix": {"kind": ("object_recognition", "image_description", "visual_question"), "language": "en"},
    "remote-sensing": {"size": 128},
}
COUNTS = {"structural": 2, "simulation": 2, "matrix": 12, "remote-sensing": 1}
SHORT: dict[str, Any] = {"max_tokens": 6, "concurrency": 4}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the model files that servers share."""
    return tmp_path_factory.mktemp("llama")


@pytest.fixture(scope="module")
def llama(models: Path) -> Iterator[str]:
    """llama.cpp with the first layers of a language model and a random vision projector."""
    with llama_server(models, "--layers", LAYERS) as base:
        yield base


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small data set of every suite."""
    folder = tmp_path_factory.mktemp("data")
    return {name: generate(name, folder / name, count=COUNTS[name], seed=1, **RECIPES[name]) for name in SUITES}


def only_journal(folder: Path) -> list[dict[str, Any]]:
    """The lines of the journal of the one run in a folder."""
    return journal(only_run(folder))


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_with_pictures(suite: str, llama: str, data: dict[str, Path], tmp_path: Path) -> None:
    samples = 2 if suite == "structural" else 4
    result = evaluate(
        suite, data=str(data[suite]), model="m", api_base=llama, sample=samples, output_dir=str(tmp_path), **SHORT
    )
    assert result.complete and result.stopped is None
    lines = only_journal(tmp_path)
    assert {line["type"] for line in lines} == {"answer"} and len(lines) >= samples
    assert all(line["text"] and line["tokens_out"] <= SHORT["max_tokens"] for line in lines)
    manifest = json.loads((result.folder / "manifest.json").read_text())
    assert manifest["served_models"] == {"smollm2": len(lines)}
    assert "smollm2" in (result.folder / "report.html").read_text()


def test_the_picture_reaches_the_model(llama: str, data: dict[str, Path], tmp_path: Path) -> None:
    settings = {"data": str(data["simulation"]), "model": "m", "api_base": llama, "limit": 2, **SHORT}
    seen = evaluate("simulation", output_dir=str(tmp_path / "seen"), **settings)
    blind = evaluate("simulation", output_dir=str(tmp_path / "blind"), blind=True, **settings)
    with_picture, without = (only_journal(result.folder.parent) for result in (seen, blind))
    more = {line["sample"]: line["tokens_in"] for line in with_picture}
    less = {line["sample"]: line["tokens_in"] for line in without}
    assert more.keys() == less.keys() and all(more[sample] >= less[sample] + 16 for sample in more)


def test_as_many_requests_as_the_server_has_slots_and_more(llama: str, data: dict[str, Path], tmp_path: Path) -> None:
    shared = {"data": str(data["simulation"]), "model": "m", "api_base": llama, "limit": 8, "max_tokens": 2}
    results = [evaluate("simulation", concurrency=n, output_dir=str(tmp_path / str(n)), **shared) for n in (1, 16)]
    one, many = ({line["sample"]: line["text"] for line in only_journal(result.folder.parent)} for result in results)
    assert len(one) == 8 and one.keys() == many.keys()
    assert all(line["type"] == "answer" for line in only_journal(tmp_path / "16"))


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a thing of POSIX")
def test_killed_and_resumed(llama: str, data: dict[str, Path], tmp_path: Path) -> None:
    call = ["run", "simulation", "--data", str(data["simulation"]), "--model", "m", "--api-base", llama, "--json"]
    call += ["--limit", "10", "--max-tokens", "3", "--concurrency", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "sightline", *call],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    runs = tmp_path / "runs"
    while not any(path.stat().st_size for path in runs.glob("*/journal.jsonl")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {line["sample"]: line["text"] for line in only_journal(runs)}
    assert 0 < len(before) < 10
    done = sightline_here(*call, cwd=tmp_path)
    assert done.returncode == 0 and "Resuming" in done.stderr
    after = [line for line in only_journal(runs) if line["type"] == "answer"]
    assert len(after) == len({line["sample"] for line in after}) == 10
    assert before.items() <= {line["sample"]: line["text"] for line in after}.items()


SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "boolean"}},
    "required": ["answer"],
    "additionalProperties": False,
}


def test_a_schema_for_the_reply(llama: str, data: dict[str, Path], tmp_path: Path) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA}}
    done = sightline_here(
        *("run", "simulation", "--data", data["simulation"], "--model", "m", "--api-base", llama, "--limit", "2"),
        *("--max-tokens", "90", "-M", f"response_format={json.dumps(form)}", "--json"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    texts = [str(line["text"]) for line in only_journal(tmp_path / "runs")]
    assert len(texts) == 2 and all(isinstance(json.loads(text)["answer"], bool) for text in texts)
    assert json.loads(done.stdout)["statuses"] == {"answered": 2}  # JSON is read as True or False


def test_a_judge_at_the_same_server(llama: str, data: dict[str, Path], tmp_path: Path) -> None:
    verdicts = 'root ::= "1" | "2" | "equal"'  # llama.cpp's own field: nothing else can be said
    result = evaluate(
        "matrix",
        data=str(data["matrix"]),
        filter=("image_description",),
        limit=2,
        model="m",
        judge="j",
        api_base=llama,
        model_args={"grammar": verdicts},
        output_dir=str(tmp_path),
        cache_path=str(tmp_path / "cache"),
        **SHORT,
    )
    assert result.complete
    lines = journal(result.folder / "judge")
    assert len(lines) == 4 and {line["text"] for line in lines} <= {"1", "2", "equal"}  # both orders of two pairs
    assert json.loads((result.folder / "judge" / "report.json").read_text())["statuses"] == {"answered": 2}
    assert any("2 replies at least as good" in str(note) for note in result.summary.notes)


def test_pictures_refused_by_a_text_only_server_are_no_wrong_answers(
    models: Path, llama: str, data: dict[str, Path], tmp_path: Path
) -> None:
    """HTTP 500 "image input is not supported", to every request."""
    with llama_server(models, "--layers", LAYERS, "--text-only") as base:
        done = sightline_here(
            *("run", "simulation", "--data", data["simulation"], "--model", "m", "--api-base", base, "--limit", "2"),
            *("--max-outage", "1", "--max-tries", "2", "--json"),
            cwd=tmp_path,
        )
    assert done.returncode == 3 and "image input is not supported" in done.stderr
    assert set(json.loads(done.stdout)["statuses"]) <= {"failed"}


def test_a_prompt_longer_than_the_context_fails_with_the_servers_words(llama: str, tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 2)
    done = sightline_here(
        *("run", "simulation", "--data", data, "--model", "m", "--api-base", llama, "--system", "word " * 9000),
        cwd=tmp_path,
    )
    assert done.returncode == 3 and "exceeds the available context size" in " ".join(done.stdout.split())
    failures = only_journal(tmp_path / "runs")
    assert len(failures) == 2 and all(line["type"] == "failure" and line["final"] for line in failures)


def test_all_layers_of_the_model_answer(models: Path, llama: str) -> None:
    suite = load_suite("simulation")
    sample = Sample(id="a", task="structural", question="?", target=True)
    prompt = Prompt((Message("user", (Text("hi"),)),))

    async def ask(base: str) -> Reply:
        model = make_model(RunConfig(model="m", api_base=(base,), max_tokens=3))
        try:
            return await model.ask(Request(prompt, sample, suite))
        finally:
            await model.close()

    with llama_server(models) as base:
        reply = asyncio.run(ask(base))
    assert reply.text.startswith("Hello") and reply.stop == "truncated"
    assert reply.tokens_out == 3 and reply.tokens_in > 1 and reply.model == "smollm2"

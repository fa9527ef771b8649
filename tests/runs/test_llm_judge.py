"""The judge the user's way: whom its key goes to, what its words mean, and what is told where it says nothing clear."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sightline.api.evaluation import evaluate, generate
from sightline.core.errors import UsageError
from sightline.core.records import Answer, Attempt, Sample
from sightline.core.registry import load_suite
from sightline.runs.llm_judge import MAX_VERDICT_TOKENS, JudgeSuite
from sightline.scoring.sample_scorer import grade_attempt
from tests.support.worlds import only_run, sightline

pytestmark = pytest.mark.slow

MODEL_KEY, JUDGE_KEY = "sk-of-the-model-11", "sk-of-the-judge-22"


class Heard:
    """What a server was asked: keys, paths, bodies."""

    def __init__(self) -> None:
        self.base = ""
        self.keys: set[str | None] = set()
        self.paths: set[str] = set()
        self.bodies: list[dict[str, object]] = []


@contextmanager
def listening(*replies: str) -> Iterator[Heard]:
    """A server on loopback that gives the replies in turn and remembers what it was asked."""
    heard = Heard()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            heard.keys.add(self.headers["Authorization"])
            heard.paths.add(self.path)
            heard.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            text = replies[len(heard.bodies) % len(replies)]
            body = json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told: object) -> None:
            return None

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=served.serve_forever)
    thread.start()
    heard.base = f"http://127.0.0.1:{served.server_port}/v1"
    try:
        yield heard
    finally:
        served.shutdown()
        thread.join()
        served.server_close()


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate("matrix", tmp_path_factory.mktemp("judged") / "cells", count=60, seed=5)


def judged(cells: Path, folder: Path, *more: str, **environment: str) -> tuple[int, str]:
    told = sightline(
        *("run", "matrix", "--data", cells, "--kind", "image_description", "--model", "m", "--judge", "z", *more),
        *("--output-dir", folder / "runs", "--cache-path", folder / "cache"),
        cwd=folder,
        **environment,
    )
    assert "Traceback" not in told.stderr
    return told.returncode, told.stdout + told.stderr


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_the_models_key_does_not_go_to_the_judges_server(cells: Path, tmp_path: Path) -> None:
    with listening("a ship") as model, listening("equal") as judge:
        where = ("--api-key", MODEL_KEY, "--api-base", model.base, "--judge-api-base", judge.base)
        code, told = judged(cells, tmp_path, *where)
        assert code == 0 and "at least as good" in told
        assert model.keys == {f"Bearer {MODEL_KEY}"} and judge.keys == {None}


def test_two_servers_with_two_keys_and_a_judge_with_its_own(cells: Path, tmp_path: Path) -> None:
    with listening("a ship") as one, listening("a ship") as two, listening("equal") as judge:
        where = ("--api-base", f"{one.base},{two.base}", "--judge-api-base", judge.base)
        keys = ("--api-key", f"{MODEL_KEY},-", "--judge-api-key", JUDGE_KEY)
        code, told = judged(cells, tmp_path, *where, *keys)
        assert code == 0 and "at least as good" in told
        assert one.keys == {f"Bearer {MODEL_KEY}"} and two.keys == {None} and judge.keys == {f"Bearer {JUDGE_KEY}"}
        assert {body["max_tokens"] for body in judge.bodies} == {MAX_VERDICT_TOKENS} and MAX_VERDICT_TOKENS >= 1024
    assert JUDGE_KEY.encode() not in everything_in(tmp_path) + told.encode()


def test_at_the_models_own_address_its_key_is_the_judges_too(cells: Path, tmp_path: Path) -> None:
    with listening("equal") as server:
        where = ("--api-base", server.base, "--judge-api-base", f"{server.base}/")
        code, _ = judged(cells, tmp_path, *where, OPENAI_API_KEY=MODEL_KEY)
        assert code == 0
        assert {body["model"] for body in server.bodies} == {"m", "z"} and server.keys == {f"Bearer {MODEL_KEY}"}


def test_the_judges_key_comes_from_the_environment(cells: Path, tmp_path: Path) -> None:
    with listening("a ship") as model, listening("equal") as judge:
        where = ("--api-base", model.base, "--judge-api-base", judge.base)
        code, _ = judged(cells, tmp_path, *where, OPENAI_API_KEY=MODEL_KEY, SIGHTLINE_JUDGE_API_KEY=JUDGE_KEY)
        assert code == 0
        assert model.keys == {f"Bearer {MODEL_KEY}"} and judge.keys == {f"Bearer {JUDGE_KEY}"}


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"judge_api_base": "http://127.0.0.1:9/v1", "judge_api_key": "a,b"}, "2 API keys were given for 1 servers"),
        ({"judge_api_base": "judge"}, "'judge' is not a server address"),
        ({"judge_api_base": "http://me:PASSWORD@127.0.0.1:9/v1"}, "must not contain a user name"),
        ({"judge": "baseline/orcale"}, "oracle"),
    ],
)
def test_a_judge_that_can_not_be_is_told_before_anything_is_asked(
    cells: Path, tmp_path: Path, wrong: dict[str, str], word: str
) -> None:
    with listening("a ship") as model:
        settings = {"data": str(cells), "model": "m", "judge": "z", "api_base": model.base, **wrong}
        with pytest.raises(UsageError, match=word) as told:
            evaluate("matrix", output_dir=str(tmp_path / "runs"), **settings)
    assert "PASSWORD" not in str(told.value)
    assert not model.bodies and not (tmp_path / "runs").exists()


def test_a_judge_that_is_away_is_told_by_its_own_setting(cells: Path, tmp_path: Path) -> None:
    with listening("a ship") as model:
        where = ("--api-base", model.base, "--judge-api-base", "http://127.0.0.1:9/v1")
        code, told = judged(cells, tmp_path, *where, "--limit", "2")
    assert code != 0 and "the judge's server (--judge-api-base)" in told


def test_verdicts_that_can_not_be_read_do_not_count_against_the_model(cells: Path, tmp_path: Path) -> None:
    with listening("a ship") as model, listening("A", "B") as judge:
        where = ("--api-base", model.base, "--judge-api-base", judge.base)
        code, told = judged(cells, tmp_path, *where)
        asked = len(judge.bodies) // 2
    assert code == 0 and asked > 1
    assert f"None of the {asked} verdicts of judge z could be parsed." in told
    report = json.loads((only_run(tmp_path / "runs") / "judge" / "report.json").read_text())
    assert report["statuses"] == {"unparsed": asked}
    assert {row["estimate"]["value"] for row in report["rows"] if row["metric"] == "mean_score"} == {None}


def test_unread_verdicts_are_counted_beside_the_share(cells: Path, tmp_path: Path) -> None:
    with listening("equal", "equal", "equal", "Hm.") as judge:
        code, told = judged(cells, tmp_path, "--api-base", judge.base, "--concurrency", "1")
        asked = sum(body["model"] == "z" for body in judge.bodies) // 2
    assert code == 0
    report = json.loads((only_run(tmp_path / "runs") / "judge" / "report.json").read_text())
    read, unread = report["statuses"]["answered"], report["statuses"]["unparsed"]
    assert read + unread == asked and read and unread
    assert f"100.0 % of {read} replies at least as good" in told
    assert f"{unread} more replies are not counted" in told


SAMPLE = Sample(id="a", task="judge", question="?", target={"reply": "x", "reference": "y", "objective": 1.0})


def verdict(text: str) -> str:
    suite = JudgeSuite(load_suite("matrix"), lambda: iter(()), Path("none"))
    answers = [Answer(position=0, sample="a", turn=turn, text=text) for turn in (1, 2)]
    found: str = grade_attempt(suite, SAMPLE, Attempt(list(answers))).values["verdicts"][0]
    return found


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1", "1"),
        ("**2**.", "2"),
        ('"Equal"', "equal"),
        ("Answer 1 is better.", "1"),
        ("The better answer is 2.", "2"),
        ("**Answer 2** is clearly better than Answer 1.", "2"),
        ("<think>Answer 2 is better, or is it?</think> 1", "1"),
        ("Both are equal", "equal"),
        ("Both answers are equally good.", "equal"),
        ("It is a tie.", "equal"),
        ("Answer 1 is better because answer 2 does not name the ship.", "1"),
        ("Answer 1 misses the ship.\n\n2", "2"),
    ],
)
def test_a_verdict_in_other_words(text: str, meant: str) -> None:
    assert verdict(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        *("", "A", "B", "I can't tell.", "1 or 2", "1. vague\n2. exact"),
        *("Answer 1 is better. Answer 2 is better.", "Answer 1 is better in style, answer 2 is better in content."),
        *("Answer 1 is not better.", "I don't think answer 1 is better.", "Answer 1 is no better than answer 2."),
        *("Which is better: 1 or 2?", "The better answer is 1 or 2.", "Answer 1 or answer 2 is better.", "not equal"),
        *("The answers are not equal.", "<think>Answer 1 is better.", "1 " * 100_000, "1 is better " * 100_000),
    ],
)
def test_no_verdict(text: str) -> None:
    assert verdict(text) == ""


@pytest.mark.parametrize(
    ("first", "second", "state", "score"),
    [
        ("1", "2", "answered", 1.0),
        ("1", "1", "answered", 0.5),
        ("2", "1", "answered", 0.0),
        ("equal", "Both are equal", "answered", 1.0),
        ("1", "?", "unparsed", 0.0),
    ],
)
def test_a_verdict_counts_in_both_orders_or_not_at_all(first: str, second: str, state: str, score: float) -> None:
    suite = JudgeSuite(load_suite("matrix"), lambda: iter(()), Path("none"))
    answers = [Answer(position=0, sample="a", turn=turn, text=text) for turn, text in enumerate((first, second), 1)]
    grade = grade_attempt(suite, SAMPLE, Attempt(list(answers)))
    assert (grade.status, grade.score, grade.weight) == (state, score, 1.0 if state == "answered" else 0.0)

"""The same error to every sample stops a run after a few requests; an outage with the same words does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate
from sightline.api.evaluation import Result
from sightline.core.errors import AllFailingError, RejectedError, TryAgainError, UnreachableError
from sightline.core.interfaces import Request
from sightline.core.records import Media, Message, Prompt, Sample
from sightline.core.registry import load_suite
from sightline.inference import circuit_breaker
from sightline.inference.permanent_errors import PermanentErrorDetector, has_known_words, hint_for, normalize_error
from tests.support.misbehaving import MisbehavingServer
from tests.support.worlds import journal, write_questions

PICTURE = b"image_url"


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(circuit_breaker, "FIRST_WAIT", 0.02)
    monkeypatch.setattr(circuit_breaker, "LONGEST_WAIT", 0.2)
    yield


def ask(tmp_path: Path, server: MisbehavingServer, **more: Any) -> Result:
    return evaluate(
        "simulation",
        data=str(tmp_path / "data"),
        model="m",
        api_base=server.base,
        output_dir=str(tmp_path / "runs"),
        **{"max_outage": 30, **more},
    )


@pytest.mark.parametrize("name", ["no_images_500", "no_images_400"])
@pytest.mark.parametrize(("count", "concurrency"), [(4, 32), (60, 1), (60, 32)])
def test_a_server_that_takes_no_pictures_stops_the_run_after_a_few_requests(
    name: str, count: int, concurrency: int, tmp_path: Path
) -> None:
    write_questions(tmp_path / "data", count)
    with MisbehavingServer(name, latency=0.005) as server:
        server.applies = lambda body: PICTURE in body
        result = ask(tmp_path, server, concurrency=concurrency)
    assert isinstance(result.stopped, AllFailingError)
    message = str(result.stopped)
    assert ("image input is not supported" if "500" in name else "At most 0 image(s)") in message
    assert "--blind" in message and server.base in message
    # the first eight in flight, the four failures that decide, and one request that asks without a picture
    assert server.requests <= 8 + 4 + 1, "24 requests were sent for 4 samples before"
    assert result.summary.pending >= count - 2
    assert result.summary.statuses.get("answered", 0) == 0


def test_one_sample_alone_is_enough(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 1)
    with MisbehavingServer("no_images_500") as server:
        server.applies = lambda body: PICTURE in body
        result = ask(tmp_path, server)
    assert isinstance(result.stopped, AllFailingError) and server.requests <= 6


def test_samples_with_a_permanent_error_are_retried_less_where_others_are_answered(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 30)
    good = {f"Is statement {number} right?".encode() for number in range(8)}
    with MisbehavingServer("no_images_500") as server:
        server.applies = lambda body: PICTURE in body and not any(text in body for text in good)
        result = ask(tmp_path, server, concurrency=1)
    assert result.stopped is None
    assert result.summary.statuses == {"answered": 8, "failed": 22}
    tries = [line["tries"] for line in journal(result.folder) if line["type"] == "failure" and line.get("final")]
    assert max(map(int, tries[4:])) <= 3, "after a few samples with the same error"


def test_pictures_and_texts_are_told_apart() -> None:
    detector = PermanentErrorDetector()
    picture, text = Media(kind="image", data="data:image/png;base64,AA"), Media(kind="text", data="a report")
    error = TryAgainError("HTTP {status}: {why}", kind="server_error", status=500, why="image input is not supported")

    def request(number: int, media: Media) -> Request:
        sample = Sample(id=f"s{number}", task="structural", question="?", target=True)
        return Request(Prompt((Message("user", (media,)),)), sample, load_suite("simulation"))

    detector.record_success(request(0, text))
    findings = [detector.record_failure(error, request(number, picture), 1.0) for number in range(3)]
    assert findings == ["", "", "suspected"]
    assert detector.record_failure(error, request(4, picture), 1.5) == "", "the check is under way"
    detector.record_check(2.0)
    assert detector.record_failure(error, request(5, picture), 1.9) == "", "it was sent before"
    assert detector.record_failure(error, request(6, picture), 2.1) == "permanent"
    detector.record_success(request(7, picture))
    assert detector.record_failure(error, request(8, picture), 3.0) == "", "some pictures are answered"


@pytest.mark.parametrize("name", ["http_500", "no_images_500", "error_in_200"])
@pytest.mark.parametrize("count", [2, 40])
def test_an_outage_with_the_same_words_from_the_start_is_survived(name: str, count: int, tmp_path: Path) -> None:
    write_questions(tmp_path / "data", count)
    with MisbehavingServer(name, seconds=1.5) as server:
        result = ask(tmp_path, server)
    assert result.stopped is None
    assert result.summary.statuses == {"answered": count}
    assert server.misbehaved <= 8 + 25, "one probe at a time"


def test_a_server_that_answers_nothing_but_one_error_is_given_up_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "UNANSWERED_OUTAGE", 0.5)
    write_questions(tmp_path / "data", 40)
    with MisbehavingServer("http_500") as server:
        result = ask(tmp_path, server, max_outage=600)
    assert isinstance(result.stopped, UnreachableError)
    assert "same error: HTTP 500: oops" in str(result.stopped)
    assert result.summary.statuses == {} and result.summary.pending == 40


def test_errors_that_differ_are_no_permanent_error(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 30)
    with MisbehavingServer("error_in_200_rejected") as server:
        server.applies = lambda body: any(f"statement {number} ".encode() in body for number in range(5))
        result = ask(tmp_path, server, concurrency=1)
    assert result.stopped is None and result.summary.statuses == {"answered": 25, "failed": 5}


def test_equal_errors_have_equal_texts_whatever_their_ids() -> None:
    def text(why: str) -> str:
        return normalize_error(TryAgainError("HTTP {status}: {why}", kind="server_error", status=500, why=why))

    assert text("no (request id 0a1b2c3d-4e5f, 17 tokens)") == text("no (request id 99887766-aaaa, 4 tokens)")
    assert text("no") != text("yes")


@pytest.mark.parametrize(
    ("words", "is_known", "hint"),
    [
        ("image input is not supported - hint: if this is unexpected", True, "--mmproj"),
        ("At most 0 image(s) may be provided in one prompt.", True, "--blind"),
        ("m is not a multimodal model", True, "--blind"),
        ("Unrecognized request argument supplied: foo", True, "-M key=null"),
        ("This model's maximum context length is 4096 tokens", False, "--max-tokens"),
        ("the image is too large", False, "--blind"),
        ("CUDA error: device-side assert triggered", False, "rerun the same command"),
    ],
)
def test_what_to_do_follows_from_the_words(words: str, is_known: bool, hint: str) -> None:
    error = RejectedError("HTTP {status}: {why}", kind="rejected", status=400, why=words)
    assert has_known_words(error) is is_known
    assert hint in hint_for(words)

"""Programs are only handed to a sandbox; pictures are alike where structure and colours are."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from sightline.core.errors import SightlineError
from sightline.scoring.scorers import Question
from sightline.scoring.scorers.execution import NO_SANDBOX, Execution, extract_program, results_match
from sightline.scoring.scorers.image_similarity import image_similarity, load_picture
from sightline.suites.matrix.sandbox import Outcome
from tests.scoring.scorers.cases import FakeSandbox

TESTS = {"function": "double", "tests": [{"arguments": [2], "result": 4}, {"arguments": [3], "result": 6}]}
RIGHT = "Here it is:\n```python\ndef double(x):\n    return 2 * x\n```\nDone. ```text\nx\n```"


def drawing(size: tuple[int, int] = (400, 300), shift: int = 0, colour: str = "red", shapes: bool = True) -> bytes:
    image = Image.new("RGB", size, "white")
    if shapes:
        draw = ImageDraw.Draw(image)
        wide, high = size[0] / 400, size[1] / 300
        draw.ellipse([(50 + shift) * wide, 50 * high, (150 + shift) * wide, 150 * high], fill=colour)
        draw.rectangle([200 * wide, 150 * high, 350 * wide, 250 * high], outline="black", width=round(4 * wide))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def execute(sandbox: Any, target: Any, reply: str = RIGHT, **facts: Any) -> Any:
    return Execution(sandbox).score(reply, Question(target=target, metadata=facts))


def test_the_program_is_found() -> None:
    assert extract_program("```\nfirst\n```\n```python\nsecond\n```") == "second"
    assert extract_program("```\nfirst\n```") == "first"
    assert extract_program(" x = 1 ") == "x = 1"
    assert extract_program("```py\nx = 1") == "x = 1"
    assert extract_program("<think>```python\nno\n```</think>```python\nyes\n```") == "yes"


def test_the_share_of_tests_counts() -> None:
    sandbox = FakeSandbox()
    assert execute(sandbox, TESTS).value == 1
    half = execute(sandbox, TESTS, "def double(x):\n    return x + 2")
    assert (half.value, half.details) == (0.5, {"passed": 1, "tests": 2})
    broken = execute(sandbox, TESTS, "no code")
    assert (broken.value, broken.status, str(broken.message)) == (0, "answered", "error: as told")


def test_without_a_sandbox_nothing_is_run_and_nothing_is_wrong() -> None:
    found = execute(None, TESTS)
    assert (found.status, found.message) == ("failed", NO_SANDBOX)
    refused = execute(FakeSandbox(state="refused"), TESTS)
    assert (refused.status, str(refused.message)) == ("failed", "unavailable: as told")

    class Broken(FakeSandbox):
        def run_many(self, code: str, calls: Any) -> list[Outcome]:
            raise SightlineError("there is no wall")

    assert str(execute(Broken(), TESTS).message) == "unavailable: there is no wall"


def test_a_bad_truth_is_never_run() -> None:
    sandbox = FakeSandbox()
    bad: list[Any] = [
        {},
        None,
        {"function": "f", "tests": []},
        {"function": "f", "tests": [{}]},
        {"function": 3, "tests": [1]},
    ]
    for target in [*bad, {"picture": 3}, {"picture": ""}, {"picture": "a\0b"}]:
        assert execute(sandbox, target).status == "invalid"
    assert execute(sandbox, TESTS, "x" * (1 << 21)).status == "unparsed"
    assert execute(sandbox, {"picture": b"no picture"}).status == "invalid"
    assert sandbox.ran == []


@pytest.mark.parametrize(
    ("found", "wanted", "same"),
    [
        (1, 1.0, True),
        (1.0000001, 1, True),
        (1.001, 1, False),
        ([1, (2, 3)], [1, [2, 3]], True),
        ({"a": [1]}, {"a": [1.0]}, True),
        ({"a": 1}, {"b": 1}, False),
        ("A", "a", False),
        (True, 1, False),
        (None, 0, False),
        ([1, 2], [1, 2, 3], False),
        (10**400, 10**400, True),
        (10**400, 2.5, False),
        (2.5, 10**400, False),
        (float("inf"), float("inf"), True),
        (float("nan"), float("nan"), True),
    ],
)
def test_results_are_compared_all_the_way_down(found: Any, wanted: Any, same: bool) -> None:
    assert results_match(found, wanted) is same


def test_pictures(tmp_path: Path) -> None:
    truth = drawing()
    (tmp_path / "x.png").write_bytes(truth)
    for target in ({"picture": truth}, {"picture": str(tmp_path / "x.png")}):
        assert execute(FakeSandbox(truth), target).value == 1
    assert execute(FakeSandbox(drawing((800, 600))), {"picture": "x.png"}, folder=str(tmp_path)).value == 1
    assert execute(FakeSandbox(truth), {"picture": "missing.png"}, folder=str(tmp_path)).status == "invalid"
    scores = [
        execute(FakeSandbox(other), {"picture": truth}).value
        for other in (drawing(shift=3), drawing(shift=40), drawing(colour="blue"), drawing(shapes=False))
    ]
    assert scores[0] > 0.8 and max(scores[1:3]) < 0.9 and scores[3] < 0.2
    for nothing in (None, b"", b"\x89PNG\r\n\x1a\n", truth[:200]):
        found = execute(FakeSandbox(nothing), {"picture": truth})
        assert (found.value, found.status) == (0, "answered")
    assert str(execute(FakeSandbox(truth, state="timeout"), {"picture": truth}).message) == "timeout: as told"


def test_likeness_is_even_handed_and_sees_the_shape_of_the_sheet() -> None:
    one, other, wide = (load_picture(drawing(size)) for size in ((400, 300), (300, 400), (800, 300)))
    assert one is not None and other is not None and wide is not None
    assert image_similarity(one, one) == pytest.approx(1)
    assert image_similarity(one, wide) < 0.6 and image_similarity(other, one) < 0.7
    plain = Image.new("RGB", (10, 500), "white")
    assert image_similarity(plain, plain) == pytest.approx(1)
    huge = bytearray(drawing())
    huge[16:24] = b"\x00\x01\x00\x00\x00\x01\x00\x00"
    assert load_picture(bytes(huge)) is None

"""Whatever a request holds, the work on it returns, and never with a fault of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.web.service.endpoints import all_endpoints
from sightline.web.service.worker import JobRequest, handle_job
from tests.support.framecalc import beam

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
PLAIN = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
LISTED = json.loads(handle_job(JobRequest("/v1/tasks", "en")).body)["tasks"]
TASKS = {one["name"]: one["parser"] for one in LISTED if one["suite"] == "remote-sensing"}
WORDS = st.sampled_from(
    ["<box>", "<1>", "</box>", "<nan>", "-1e400", "Yes", "3", "<quad>", "(", ",", "1e9", "九", "\x00"]
)
REPLY = st.text(max_size=60) | st.lists(WORDS, max_size=12).map("".join)


def told(path: str, body: Any) -> Any:
    done = handle_job(JobRequest(path, "zh", body if isinstance(body, bytes) else json.dumps(body).encode()))
    assert done.status in (200, 400, 422), done.body
    return json.loads(done.body)


@pytest.mark.parametrize("task", TASKS)
@PLAIN
@given(truth=REPLY | st.integers() | st.floats(allow_nan=False, allow_infinity=False), output=REPLY)
def test_any_text_has_a_grade(task: str, truth: str | int | float, output: str) -> None:
    answer = told("/v1/score", {"task": task, "gt": truth, "output": output})
    assert answer["status"] in ("answered", "unparsed", "empty", "invalid")
    assert answer["score"] is None if answer["status"] == "invalid" else 0 <= answer["score"] < float("inf")


@pytest.mark.parametrize("path", [path for path, one in all_endpoints().items() if one.takes])
@PLAIN
@given(body=JSON | st.dictionaries(st.sampled_from(["task", "suite", "truth", "output", "samples", "model"]), JSON))
def test_any_json_is_answered_or_refused(path: str, body: Any) -> None:
    told(path, body)


@pytest.mark.parametrize("path", [path for path, one in all_endpoints().items() if one.takes])
@PLAIN
@given(body=st.binary(max_size=200))
def test_any_bytes_are_refused(path: str, body: bytes) -> None:
    told(path, body)


@PLAIN
@given(
    part=st.sampled_from(["points", "links", "supports", "loads"]),
    value=JSON,
    place=st.integers(0, 1),
    key=st.sampled_from(["id", "x", "a", "b", "E", "Iz", "at", "kind", "value", "angleDeg", "wStart"]),
)
def test_any_change_of_a_model_is_solved_or_refused(part: str, value: Any, place: int, key: str) -> None:
    model = beam()
    model[part][place][key] = value
    told("/v1/solve", {"model": model})
    told("/v1/diagnose", {"truth": beam(), "output": json.dumps(model)})
    told("/v1/diagnose", {"truth": model, "output": json.dumps(beam())})


@pytest.mark.parametrize("number", ["9" * 4000, "-" + "9" * 4200, "1e308", "5e-324", "-0.0"])
def test_extreme_numbers_have_a_grade(number: str) -> None:
    for task in ("counting", "visual grounding", "VQA1"):
        told("/v1/score", f'{{"task": "{task}", "gt": {number}, "output": "{number}"}}'.encode())

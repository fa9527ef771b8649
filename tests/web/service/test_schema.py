"""The OpenAPI document is true: made of the types, shown to people, and held against requests nobody thought of."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline.web.service.endpoints import all_endpoints
from sightline.web.service.openapi import docs_page, openapi_document
from sightline.web.service.problems import PROBLEM_TYPES
from tests.support.peers import Peer
from tests.support.worlds import ROOT
from tests.web.service.callers import Caller, closed
from tests.web.service.test_server import Running, running

jsonschema = Peer("jsonschema")


def validator(schema: dict[str, Any]) -> Any:
    whole = {**schema, "components": openapi_document("en")["components"]}
    return jsonschema.Draft202012Validator(whole)


@pytest.mark.parametrize("path", [path for path, one in all_endpoints().items() if one.examples])
def test_examples_fit_and_so_do_their_answers(service: Caller, path: str) -> None:
    operation = openapi_document("en")["paths"][path]["post"]
    content = operation["requestBody"]["content"]["application/json"]
    for example in content["examples"].values():
        validator(content["schema"]).validate(example["value"])
        answer = service.post(path, example["value"])
        validator(operation["responses"]["200"]["content"]["application/json"]["schema"]).validate(answer)
        misspelt = {**example["value"], "outptu": 1}
        assert not validator(content["schema"]).is_valid(misspelt)
        refusal = service.post(path, misspelt, 422)
        problem = operation["responses"]["422"]["content"]["application/problem+json"]["schema"]
        validator(problem).validate(refusal)


def test_every_address_and_every_reference_is_there() -> None:
    told = openapi_document("en")
    assert set(told["paths"]) == {*all_endpoints(), "/healthz"}
    text = json.dumps(told)
    for name in told["components"]["schemas"]:
        jsonschema.Draft202012Validator.check_schema(told["components"]["schemas"][name])
        assert f"#/components/schemas/{name}" in text


def test_the_document_speaks_both_languages() -> None:
    english, chinese = (closed().get("/openapi.json", Accept_Language=one) for one in ("en", "zh"))
    assert english["paths"]["/v1/solve"]["post"]["summary"] == "Solve a structural model"
    assert chinese["paths"]["/v1/solve"]["post"]["summary"] == "求解结构模型"
    field = chinese["components"]["schemas"]["TaskScore"]["properties"]["output"]
    assert field["description"] == "模型的原始回复"


@pytest.mark.parametrize("page", ["docs/serving.md", "docs/zh/serving.md"])
def test_the_requests_in_the_documents_are_answered_as_they_say(service: Caller, page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    score, many = (json.loads(body) for body in re.findall(r"-d '(\{.*?\})'", text, re.DOTALL))
    said, refused = (json.loads(body) for body in re.findall(r"```json\n(.*?)```", text, re.DOTALL))
    assert service.post("/v1/score", score) == said
    assert service.post("/v1/score/many", many)["statuses"] == {"answered": 1, "unparsed": 1}
    wrong = {"task": "counting", "gt": "3", "outptu": "4"}
    language = "zh" if "zh" in page else "en"
    assert service.post("/v1/score", wrong, 422, Accept_Language=language) == refused


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_shows_it_and_loads_nothing(language: str) -> None:
    answer = closed().client.get("/docs", headers={"Accept-Language": language})
    page = answer.text
    for path in all_endpoints():
        assert f"<code>{path}</code>" in page
    for kind in PROBLEM_TYPES:
        assert f'id="{kind}"' in page
    assert "<script" not in page and "src=" not in page and "@import" not in page and "url(" not in page
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert docs_page.cache_info().currsize >= 1


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    log = tmp_path_factory.mktemp("fuzzed") / "log"
    with running(log=log, SIGHTLINE_SERVE_TOKEN="t" * 20) as started:
        started.log = log  # type: ignore[attr-defined]  # for the test to read
        yield started


@pytest.mark.slow
def test_requests_that_nobody_thought_of(server: Running) -> None:
    """Schemathesis makes fitting and unfitting requests: no fault of ours, and every answer fits its schema."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import schemathesis
        from hypothesis import HealthCheck, Phase, given, settings
        from hypothesis import strategies as st
        from schemathesis import GenerationMode
        from schemathesis.checks import not_a_server_error
        from schemathesis.specs.openapi.checks import (
            content_type_conformance,
            negative_data_rejection,
            response_schema_conformance,
            status_code_conformance,
        )

    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
        negative_data_rejection,
    ]
    home = f"http://127.0.0.1:{server.port}"
    schema = schemathesis.openapi.from_url(f"{home}/openapi.json")
    statuses: list[int] = []

    @settings(
        max_examples=20,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def fuzz(data: Any) -> None:
        for operation in (one.ok() for one in schema.get_all_operations()):
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                if mode is GenerationMode.NEGATIVE and operation.method == "get":
                    continue
                case = data.draw(operation.as_strategy(generation_mode=mode))
                answer = case.call(headers={"Authorization": f"Bearer {server.token}"})
                case.validate_response(answer, checks=checks)
                statuses.append(answer.status_code)

    fuzz()
    assert len(statuses) >= 200
    assert max(statuses) < 500
    assert 200 in statuses and 422 in statuses
    assert "Traceback" not in Path(server.log).read_text()  # type: ignore[attr-defined]  # set by the fixture

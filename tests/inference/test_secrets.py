"""No secret of a run is in any file that it writes, nor on the screen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sightline.core.config import RunConfig, mask_config
from sightline.core.secret_masking import mask_secrets
from sightline.models.openai import OpenAIModel
from tests.support.misbehaving import ESCAPES, MisbehavingServer
from tests.support.worlds import server, sightline, write_questions

SECRETS = {
    "api_key": "plain-secret-value-one",
    "nested": "plain-secret-value-two",
    "header": "plain-secret-value-three",
    "bearer": "plain-secret-value-four",
    "flag": "plain-secret-value-five",
    "query": "plain-secret-value-six",
    "looks": "sk-live-abcdefghij0123456789",
}


@pytest.mark.slow
def test_secrets_in_extra_arguments_are_in_no_file_and_not_on_the_screen(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 8)
    with server() as base:
        told = sightline(
            *("run", "simulation", "--data", data, "--model", "m", "--api-base", f"{base}?token={SECRETS['query']}"),
            *("--api-key", SECRETS["flag"], "-M", f"api_key={SECRETS['api_key']}"),
            *("-M", json.dumps({"x": 1}).join(("extra_body=", "")).replace('{"x": 1}', json.dumps(
                {"provider": {"api_token": SECRETS["nested"]}, "note": SECRETS["looks"]}))),
            *("-M", "headers=" + json.dumps({"X-Auth": SECRETS["header"]})),
            *("-M", "extra_headers=" + json.dumps([{"name": "a", "value": f"Bearer {SECRETS['bearer']}"}])),
            *("--cache", "--cache-path", tmp_path / "cache.sqlite", "--vis"),
            cwd=tmp_path,
        )  # fmt: skip
        report = sightline("report", next((tmp_path / "runs").iterdir()), cwd=tmp_path)
        again = sightline("regrade", next((tmp_path / "runs").iterdir()), cwd=tmp_path)
    assert (told.returncode, report.returncode, again.returncode) == (0, 0, 0), told.stderr + again.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file() and data not in path.parents]
    assert any(path.name == "manifest.json" for path in files) and any(path.suffix == ".html" for path in files)
    for name, secret in SECRETS.items():
        for path in files:
            assert secret.encode() not in path.read_bytes(), (name, path)
        assert secret not in told.stdout + told.stderr + report.stdout + again.stdout, name
    manifest = json.loads((next((tmp_path / "runs").iterdir()) / "manifest.json").read_text())
    assert manifest["config"]["model_args"]["api_key"] == "***"
    assert manifest["identity"]["extra_body"]["provider"] == {"api_token": "***"}


def test_what_is_no_secret_stays_readable() -> None:
    given = {"max_tokens": 5, "stop_token_ids": [1, 2], "top_k": 3, "stop": ["\n"], "skip_special_tokens": True}
    given |= {"response_format": {"type": "json_object"}, "note": "skeleton-of-a-skyscraper-in-steel"}
    assert mask_secrets(given) == given
    assert mask_config(RunConfig(model_args=given))["model_args"] == given


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apiKey",
        "X-Auth",
        "auth",
        "pwd",
        "passphrase",
        "bearer",
        "session",
        "signature",
        "密钥",
        "ＡＰＩ＿ＫＥＹ",
    ],
)
@pytest.mark.parametrize("value", ["hunter2", 987654321, 1.5, ["hunter2"], {"inner": "hunter2"}])
def test_everything_under_a_secret_name_is_masked(name: str, value: object) -> None:
    shown = json.dumps(mask_secrets({name: value}))
    assert "hunter2" not in shown and "987654321" not in shown and "1.5" not in shown


@pytest.mark.parametrize("text", ["http://user:hunter2@host/v1", "https://h/x?sig=hunter2hunter2", "AIza" + "x" * 35])
def test_texts_that_hold_a_secret_are_masked_under_any_name(text: str) -> None:
    assert mask_secrets({"note": text}) == {"note": "***"}


def test_masking_keeps_different_requests_apart() -> None:
    def identity(**given: object) -> object:
        return OpenAIModel("m", RunConfig(api_base=("http://h/v1",), model_args=given)).identity()

    assert identity(stop_token="</s>") != identity(stop_token="<|im_end|>")
    assert "</s>" not in str(identity(stop_token="</s>"))
    assert identity(api_key="one") == identity(api_key="two"), "another login is the same request"
    assert identity(top_k=3) == {**identity(), "top_k": 3}  # type: ignore[dict-item]  # nothing was mask_config


@pytest.mark.parametrize("key_from", ["environment", "flag"])
def test_an_address_from_dotenv_never_gets_the_key_of_the_user(tmp_path: Path, key_from: str) -> None:
    data = write_questions(tmp_path / "data", 8)
    with MisbehavingServer("proper") as elsewhere:
        (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={elsewhere.base}\n")
        call = ("run", "simulation", "--data", data, "--model", "m")
        if key_from == "environment":
            told = sightline(*call, cwd=tmp_path, OPENAI_API_KEY=SECRETS["flag"])
        else:
            told = sightline(*call, "--api-key", SECRETS["flag"], cwd=tmp_path)
        assert elsewhere.requests == 0
    assert told.returncode == 2
    assert ".env" in told.stderr and elsewhere.base in told.stderr and SECRETS["flag"] not in told.stderr


def test_the_server_and_its_source_are_shown_before_the_first_request(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 8)
    call = ("run", "simulation", "--data", data, "--model", "m")
    with MisbehavingServer("proper") as one:
        (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={one.base}\nOPENAI_API_KEY=theirs\n")
        told = sightline(*call, cwd=tmp_path)
        assert f"Server: {one.base} (from .env), key from .env" in told.stderr
        assert b"bearer theirs" in one.received[0][1].lower()
        told = sightline(*call, "--api-base", one.base, "--api-key", "-", "--fresh", cwd=tmp_path)
        assert f"Server: {one.base} (from --api-base), no key" in told.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["error_escapes", "content_escapes", "model_escapes", "http_503"])
def test_messages_of_a_server_never_control_the_terminal(tmp_path: Path, name: str) -> None:
    data = write_questions(tmp_path / "data", 8)
    with MisbehavingServer(name) as unwell:
        told = sightline(
            *("run", "simulation", "--data", data, "--model", "m", "--api-base", unwell.base),
            *("--max-outage", "0.5", "--max-tries", "1"),
            cwd=tmp_path,
        )
        shown = sightline("show", cwd=tmp_path)
    text = told.stdout + told.stderr + shown.stdout + shown.stderr
    for path in tmp_path.rglob("*"):
        if path.suffix in (".txt", ".md", ".csv"):
            text += path.read_text(encoding="utf-8")
    assert "Traceback" not in text
    assert not [letter for letter in set(ESCAPES) - set("[2J]0;owned31m") if letter in text]

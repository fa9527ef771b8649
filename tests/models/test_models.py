"""The model seam: what goes over the wire, what comes back, and what must never show."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import pickle
import traceback
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sightline.core.config import RunConfig
from sightline.core.errors import (
    AccessError,
    MediaError,
    RejectedError,
    SightlineError,
    TryAgainError,
    UnknownNameError,
    UsageError,
)
from sightline.core.interfaces import Request
from sightline.core.records import Media, Message, Prompt, Sample, Text
from sightline.core.registry import load_suite
from sightline.models import make_model
from sightline.models.batch_client import BatchClient
from sightline.models.chat_format import encode_request, error_text, is_quota_exhausted, parse_response
from sightline.models.endpoints import Secret, judge_as_model, normalize_base_url, resolve_endpoints
from sightline.models.openai import MAX_RETRY_AFTER, OpenAIModel, parse_retry_after
from tests.support.worlds import PIXEL, server

KEY = "sk-very-secret-0123456789"
SAMPLE = Sample(id="a", task="structural", question="?", target=True, tags={"modality": "image"})


def prompt(*parts: Text | Media) -> Prompt:
    return Prompt((Message("user", parts),))


def test_images_videos_and_texts_keep_their_order_in_a_request(tmp_path: Path) -> None:
    picture, clip, report = tmp_path / "a.png", tmp_path / "b.mp4", tmp_path / "c.txt"
    picture.write_bytes(PIXEL)
    clip.write_bytes(b"video")
    report.write_text("the report ü", encoding="utf-8")
    parts = (
        Media(kind="image", path=str(picture)),
        Media(kind="image", path=str(picture)),
        Media(kind="video", path=str(clip)),
        Media(kind="text", path=str(report)),
        Text('said "so"'),
    )
    body = json.loads(encode_request(prompt(*parts), {"model": "m"}).body)
    content = body["messages"][0]["content"]
    assert [part["type"] for part in content] == ["image_url", "image_url", "video_url", "text", "text"]
    assert content[0]["image_url"]["url"] == "data:image/png;base64," + base64.b64encode(PIXEL).decode()
    assert content[2]["video_url"]["url"] == "data:video/mp4;base64," + base64.b64encode(b"video").decode()
    assert [part["text"] for part in content[3:]] == ["the report ü", 'said "so"']


def test_words_alone_are_one_string(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("report")
    body = encode_request(prompt(Media(kind="text", path=str(tmp_path / "c.txt")), Text("why?")), {}).body
    assert json.loads(body)["messages"][0]["content"] == "report\n\nwhy?"


def test_a_data_uri_can_not_break_out_of_the_request() -> None:
    out = io.BytesIO()
    Image.effect_noise((150, 150), 100).save(out, "PNG")
    text = base64.b64encode(out.getvalue()).decode()
    evil = (
        f'data:image/png;base64,{text[:20_000]}"}}}}], "tools": [{{"x": " {text[20_000:]}'  # beyond what is looked at
    )
    with pytest.raises(MediaError, match="data URI"):
        encode_request(prompt(Media(kind="image", data=evil), Text("?")), {})
    harmless = evil.replace('"tools": [{"x": "', '"": [{"": "')  # without letters, nothing of it is base64
    body = json.loads(encode_request(prompt(Media(kind="image", data=harmless), Text("?")), {}).body)
    assert body["messages"][0]["content"][0]["image_url"]["url"] == f"data:image/png;base64,{text}"
    assert set(body) == {"messages"}
    with pytest.raises(MediaError, match="not an image"):
        encode_request(prompt(Media(kind="image", data='data:image/png;base64,AA"}}], "tools": [{"x": "')), {})


@pytest.mark.parametrize(
    ("choice", "text", "stop"),
    [
        ({"message": {"content": "True"}, "finish_reason": "stop"}, "True", "complete"),
        ({"message": {"content": "Tr"}, "finish_reason": "length"}, "Tr", "truncated"),
        ({"message": {"content": None, "refusal": "I won't"}}, "I won't", "refused"),
        ({"message": {"content": ""}, "finish_reason": "content_filter"}, "", "refused"),
        ({"message": {"content": [{"type": "text", "text": "A"}, {"type": "x"}, {"text": "B"}]}}, "AB", "complete"),
        ({"message": {}}, "", "complete"),
    ],
)
def test_a_reply_and_how_it_ended(choice: dict[str, object], text: str, stop: str) -> None:
    reply = parse_response(json.dumps({"choices": [choice], "usage": {"prompt_tokens": 7}}).encode())
    assert (reply.text, reply.stop, reply.tokens_in, reply.tokens_out) == (text, stop, 7, None)


@given(
    st.one_of(st.binary(), st.text().map(str.encode), st.sampled_from([b'{"choices": []}', b"[]", b'{"choices":[{}]}']))
)
def test_any_other_body_is_worth_another_try(body: bytes) -> None:
    with pytest.raises(TryAgainError):
        parse_response(body)


@pytest.mark.parametrize(
    ("given_", "mended"),
    [
        ("http://h:1/v1", "http://h:1/v1"),
        ("http://h:1/v1/", "http://h:1/v1"),
        ("https://h/v1/chat/completions", "https://h/v1"),
        ("https://h/v1/chat/completions/", "https://h/v1"),
        ("localhost:8000/v1", "http://localhost:8000/v1"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("localhost", "http://localhost"),
        ("https://h/v1/chat/completions?version=1", "https://h/v1?version=1"),
    ],
)
def test_the_base_url_is_normalized(given_: str, mended: str) -> None:
    assert normalize_base_url(given_) == mended


@pytest.mark.parametrize(
    "wrong", ["http://", "ftp://host/v1", "://", "foo", "", "http://host:port/v1", "http://host:0/v1", "http://[::1/v1"]
)
def test_an_invalid_base_url_is_rejected(wrong: str) -> None:
    with pytest.raises(UsageError, match="not a server address"):
        normalize_base_url(wrong)


@pytest.mark.parametrize(
    "base", ["http://me:PASSWORD@h/v1", "me:PASSWORD@h/v1", "http://me:PASS/WORD@h/v1", "http://me:PASS#WORD@h/v1"]
)
def test_a_password_in_an_address_is_refused_and_not_repeated(base: str) -> None:
    with pytest.raises(UsageError, match="must not contain a user name") as told:
        resolve_endpoints(RunConfig(api_base=(base,), api_key=(KEY,)))
    assert "PASS" not in str(told.value) and "WORD" not in str(told.value) and "--api-key" in str(told.value)


def test_a_query_of_the_base_url_stays_after_the_path() -> None:
    (found,) = resolve_endpoints(RunConfig(api_base=("http://h/v1/?token=Q#concurrency=2",)))
    assert found.url("/chat/completions") == "http://h/v1/chat/completions?token=Q"
    assert found.url("/batches?limit=100") == "http://h/v1/batches?limit=100&token=Q"
    assert "Q" not in found.display_address


def only(config: RunConfig) -> tuple[str, Secret]:
    (found,) = resolve_endpoints(config)
    return found.address, found.key


def test_where_server_and_key_come_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="Neither a server nor an API key"):
        resolve_endpoints(RunConfig(model="m"))
    (tmp_path / ".env").write_text("OPENAI_API_KEY=from-file\nOPENAI_BASE_URL=http://file/v1\n")
    base, key = only(RunConfig(model="m"))
    assert (base, key.reveal()) == ("http://file/v1", "from-file")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://environment/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment")
    base, key = only(RunConfig(model="m"))
    assert (base, key.reveal()) == ("http://environment/v1", "from-environment")
    base, key = only(RunConfig(model="m", api_base=("http://flag/v1",), api_key=("from-flag",)))
    assert (base, key.reveal()) == ("http://flag/v1", "from-flag")


@pytest.mark.parametrize("by_flag", [True, False])
def test_an_address_from_dotenv_gets_no_key_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, by_flag: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=http://elsewhere/v1\nOPENAI_API_KEY=theirs\n")
    if not by_flag:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(UsageError, match=r"http://elsewhere/v1 comes from \.env") as told:
        resolve_endpoints(RunConfig(model="m", api_key=(KEY,) if by_flag else ()))
    assert KEY not in str(told.value)
    # the user's own address, or the folder's own key, is another matter
    (mine,) = resolve_endpoints(RunConfig(model="m", api_base=("http://mine/v1",), api_key=(KEY,)))
    assert (mine.key.reveal(), mine.address_source, mine.key_source) == (KEY, "--api-base", "--api-key")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (theirs,) = resolve_endpoints(RunConfig(model="m"))
    assert (theirs.key.reveal(), theirs.address_source, theirs.key_source) == ("theirs", ".env", ".env")


def test_dotenv_never_reads_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("HF_TOKEN", KEY)
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=http://elsewhere/v1/${HF_TOKEN}\nOPENAI_API_KEY=x-${HF_TOKEN}\n")
    (found,) = resolve_endpoints(RunConfig(model="m"))
    assert KEY not in found.address and KEY not in found.key.reveal()


@pytest.mark.parametrize(
    "form", [KEY, base64.b64encode(KEY.encode()).decode(), "".join(f"\\u{ord(c):04x}" for c in KEY)]
)
def test_a_key_that_comes_back_in_any_form_is_masked_in_errors_and_never_kept(form: str) -> None:
    model = OpenAIModel("m", RunConfig(api_base=("http://h/v1",), api_key=(KEY,)))
    body = '{"choices": [{"message": {"content": "the key is FORM"}}], "model": "m FORM"}'.replace("FORM", form)
    with pytest.raises(RejectedError):
        model.parse_reply(body.encode())
    reply = model.parse_reply(body.replace("the key is " + form, "True").encode())
    assert KEY not in reply.model and form not in reply.model
    with pytest.raises(TryAgainError) as told:
        model.parse_reply('{"error": {"message": "wrong: FORM"}}'.replace("FORM", form).encode())
    assert KEY not in str(told.value) and form not in str(told.value)


@pytest.mark.parametrize("usage", ["NaN", "1e400", "1" * 5000, '{"prompt_tokens": NaN}', '{"prompt_tokens": 1e400}'])
def test_odd_counts_of_tokens_cost_no_reply(usage: str) -> None:
    reply = parse_response(f'{{"choices": [{{"message": {{"content": "True"}}}}], "usage": {usage}}}'.encode())
    assert (reply.text, reply.tokens_in) == ("True", None)


@pytest.mark.parametrize(
    ("message", "spent"),
    [
        ({"code": "insufficient_quota", "message": "You exceeded your current quota"}, True),
        ({"message": "\u4f59\u989d\u4e0d\u8db3"}, True),
        ({"message": "You exceeded your current quota. Please retry in 5s."}, False),
        ({"message": "Rate limit reached: 20 requests per minute"}, False),
    ],
)
def test_an_exhausted_quota_is_distinguished_from_a_rate_limit(message: dict[str, str], spent: bool) -> None:
    assert is_quota_exhausted(json.dumps({"error": message}).encode()) is spent


def test_several_servers_have_one_key_or_one_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    bases = ("http://a/v1", "http://b/v1#concurrency=4&requests_per_minute=60")
    one, two = resolve_endpoints(RunConfig(api_base=bases, api_key=("k",)))
    assert (one.key.reveal(), two.key.reveal()) == ("k", "k")
    assert (two.address, one.concurrency, two.concurrency, two.requests_per_minute) == ("http://b/v1", None, 4, 60)
    one, two = resolve_endpoints(RunConfig(api_base=bases, api_key=("-", "k2")))
    assert (one.key.reveal(), two.key.reveal()) == ("", "k2")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://c/v1, http://d/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "x,y")
    assert [(e.address, e.key.reveal()) for e in resolve_endpoints(RunConfig())] == [
        ("http://c/v1", "x"),
        ("http://d/v1", "y"),
    ]


@pytest.mark.parametrize(
    ("bases", "keys", "word"),
    [
        (("a/v1", "b/v1", "c/v1"), ("1", "2"), "2 API keys were given for 3 servers"),
        (("a/v1", "http://a/v1/"), (), "more than once"),
        (("a/v1#concurrency=0",), (), "not a valid server limit"),
        (("a/v1#speed=9",), (), "not a valid server limit"),
        (("a/v1#concurrency=\u0663",), (), "not a valid server limit"),
    ],
)
def test_servers_that_can_not_be(bases: tuple[str, ...], keys: tuple[str, ...], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        resolve_endpoints(RunConfig(api_base=bases, api_key=keys))


def test_a_string_is_a_list_with_commas() -> None:
    assert RunConfig(api_base="a, b,").api_base == ("a", "b")  # type: ignore[arg-type]  # as notebooks write it


def test_a_key_alone_means_openai(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert only(RunConfig(model="m"))[0] == "https://api.openai.com/v1"


def test_a_secret_does_not_show() -> None:
    secret = Secret("sk-hidden")
    assert "hidden" not in f"{secret} {secret!r} {[secret]} {pickle.dumps(secret)!r} {vars(Secret)}"
    assert secret.scrub("your key sk-hidden is wrong") == "your key *** is wrong"


@pytest.mark.parametrize(
    ("value", "seconds"), [("3", 3.0), ("0.25", 0.25), ("-4", 0.0), ("", None), ("soon", None), ("  ", None)]
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert parse_retry_after(value) == seconds


def test_retry_after_as_a_date() -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=50), usegmt=True)
    waited = parse_retry_after(then)
    assert waited is not None and 45 < waited <= 51


@pytest.mark.parametrize("value", ["99999999", "1e308", "inf", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_retry_after_is_bounded(value: str) -> None:
    assert parse_retry_after(value) == MAX_RETRY_AFTER


@pytest.mark.parametrize("value", ["nan", "-nan", "Fri, 99 Dec 9999"])
def test_a_retry_after_that_means_nothing_is_none(value: str) -> None:
    assert parse_retry_after(value) is None


@pytest.mark.parametrize(
    ("model", "name"), [("openai/gpt-4o", "gpt-4o"), ("gpt-4o", "gpt-4o"), ("Qwen/Qwen2.5-VL-7B", "Qwen/Qwen2.5-VL-7B")]
)
def test_model_ids(model: str, name: str) -> None:
    made = make_model(RunConfig(model=model, api_base=("http://h/v1",)))
    assert isinstance(made, OpenAIModel)
    assert made.name == name


@pytest.mark.parametrize("model", ["baseline/constant", "baseline/perturbed:2", "baseline/perturbed:x", ""])
def test_a_baseline_that_can_not_be(model: str) -> None:
    with pytest.raises(UsageError):
        make_model(RunConfig(model=model))


def test_a_misspelt_baseline() -> None:
    with pytest.raises(UnknownNameError, match="oracle"):
        make_model(RunConfig(model="baseline/orcale"))


def test_settings_reach_the_body_and_null_takes_one_out() -> None:
    config = RunConfig(
        model="m", api_base=("http://h/v1",), system="be brief", temperature=0.5, model_args={"seed": None, "top_k": 3}
    )
    model = OpenAIModel("m", config)
    body = json.loads(asyncio.run(model.encode(prompt(Text("hi")))).body)
    assert body["temperature"] == 0.5 and body["top_k"] == 3 and body["max_tokens"] == 2048
    assert "seed" not in body
    assert body["messages"][0] == {"role": "system", "content": "be brief"}


def ask(config: RunConfig) -> object:
    async def once() -> object:
        model = OpenAIModel("m", config)
        try:
            return await model.ask(Request(prompt(Text("Question: a (True/False)")), SAMPLE, load_suite("simulation")))
        finally:
            await model.close()

    return asyncio.run(once())


def test_the_key_is_in_no_error_and_no_traceback_even_if_the_server_repeats_it() -> None:
    with server("--status", "401", "--echo") as base:
        try:
            ask(RunConfig(api_base=(base,), api_key=(KEY,)))
        except AccessError as error:
            told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
            assert "Bearer ***" in told
        else:
            raise AssertionError("401 must stop the run")
    assert KEY not in told


def test_the_key_is_in_no_traceback_when_the_server_is_unreachable() -> None:
    try:
        ask(RunConfig(api_base=("http://127.0.0.1:9/v1",), api_key=(KEY,)))
    except SightlineError as error:
        told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert "Cannot connect" in told
    assert KEY not in told


def test_a_reply_that_repeats_the_key_is_not_kept() -> None:
    with (
        server("--reply", f"your key is {KEY}") as base,
        pytest.raises(RejectedError, match="contains the API key") as told,
    ):
        ask(RunConfig(api_base=(base,), api_key=(KEY,)))
    assert KEY not in str(told.value)


@pytest.mark.parametrize(
    ("status", "key", "told"),
    [
        (401, KEY, "rejected the API key"),
        (401, "", "requires an API key"),
        (403, KEY, "denied access to the model 'm'"),
        (404, KEY, "'m'"),
    ],
)
def test_what_was_refused_is_named(status: int, key: str, told: str) -> None:
    with server("--status", str(status)) as base, pytest.raises(AccessError, match=told) as why:
        ask(RunConfig(api_base=(base,), api_key=(key or "-",)))
    assert ("--api-base" in str(why.value)) is (status == 404)


@pytest.mark.parametrize(("status", "flag"), [(401, "--judge-api-key"), (404, "--judge-api-base")])
def test_errors_of_the_judge_name_its_own_settings(status: int, flag: str) -> None:
    with server("--status", str(status)) as base, pytest.raises(AccessError, match=flag):
        ask(judge_as_model(RunConfig(judge="m", api_base=("http://h/v1",), judge_api_base=(base,), api_key=(KEY,))))


def test_a_server_without_batch_api_is_not_reported_as_refusing_the_model(tmp_path: Path) -> None:
    (tmp_path / "part.jsonl").write_text("{}\n")

    async def told(base: str, call: Callable[[BatchClient], Awaitable[object]]) -> str:
        model = OpenAIModel("m", RunConfig(api_base=(base,), api_key=(KEY,)))
        try:
            with pytest.raises(AccessError) as told:
                await call(BatchClient(model, 10.0))
            return str(told.value)
        finally:
            await model.close()

    with server("--status", "404", "--echo") as base:
        handed_in = asyncio.run(told(base, lambda client: client.upload(tmp_path / "part.jsonl")))
        looked_at = asyncio.run(told(base, lambda client: client.retrieve("batch-7")))
        fetched = asyncio.run(told(base, lambda client: client.download("file-7", tmp_path / "out", 99)))
    assert "does not support the Batch API" in handed_in and "--batch" in handed_in
    assert "/batches/batch-7 no longer exists" in looked_at and "/files/file-7/content no longer exists" in fetched
    for text in (handed_in, looked_at, fetched):
        assert "denied access to the model" not in text and KEY not in text


@pytest.mark.parametrize("length", range(296, 360, 3))
def test_a_key_that_the_end_of_a_message_cuts_is_masked(length: int) -> None:
    """Messages of servers are shortened: the beginning of a key at the end is as secret as the whole."""
    key = "sk-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQR"
    secret = Secret(key)
    for repeated in (key, base64.b64encode(key.encode()).decode()):
        message = "x" * (length - len(repeated)) + repeated
        shown = secret.scrub(error_text(json.dumps({"error": {"message": message}}).encode()))
        assert not [at for at in range(len(shown)) if any(shown[at : at + 8] == form[:8] for form in secret._forms())]
    model = OpenAIModel("m", RunConfig(model="m", api_base=("http://127.0.0.1:1/v1",), api_key=(key,)))
    named = {"model": "x" * (length - 100 - len(key)) + key, "choices": [{"message": {"content": "True"}}]}
    assert key[:8] not in model.parse_reply(json.dumps(named).encode()).model

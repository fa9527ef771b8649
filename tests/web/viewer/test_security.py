"""Nobody but the one who started it gets in, nothing but the run folders gets out."""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from sightline.reports.sample_view.texts import MAX_CHARACTERS
from sightline.web.viewer.server import make_app
from tests.web.viewer.visits import PORT, TOKEN, TestClient, Visit, edit_journal, said

Visits = Callable[[Path], Visit]
HOME = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def stranger(questions: Path) -> Iterator[TestClient]:
    with TestClient(make_app(questions, TOKEN, PORT), base_url=HOME, follow_redirects=False) as client:
        yield client


def test_without_the_token_nothing_is_shown(stranger: TestClient) -> None:
    for path in ("/", "/?token=wrong", "/?token=", "/static/viewer.css", "/live", "/run/x", f"/?token={TOKEN}é"):
        answer = stranger.get(path)
        assert answer.status_code == 403, path
        assert "baseline" not in answer.text


def test_the_token_becomes_a_cookie_and_leaves_the_address(stranger: TestClient) -> None:
    answer = stranger.get(f"/compare?run=a&token={TOKEN}&run=b")
    assert (answer.status_code, answer.headers["location"]) == (303, "/compare?run=a&run=b")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert stranger.get("/").status_code == 200
    assert stranger.get("/?token=wrong").status_code == 403


def test_odd_cookies_of_other_programs_do_not_shut_the_door(stranger: TestClient) -> None:
    for odd in ('notes={"a": 1}', "a=b=c", "=", ";;", "\\"):
        answer = stranger.get("/", headers={"Cookie": f"{odd}; sightline_{PORT}={quote(TOKEN)}"})
        assert answer.status_code == 403  # the token itself, not its quoted form
        assert stranger.get("/", headers={"Cookie": f'{odd}; sightline_{PORT}="{TOKEN}"'}).status_code == 200


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "/%5cevil.example", "/%2fevil.example"])
def test_no_address_becomes_a_link_elsewhere(questions: Path, visit: Visits, path: str) -> None:
    answer = visit(questions).client.get(HOME + path)
    links = re.findall(r'href="([^"]+)"', answer.text)
    assert answer.status_code == 404 and len(links) > 3
    assert not [link for link in links if re.match(r"[/\\]{2}|/(%5c|%2f)?/|\w+:(?!,)", link, re.IGNORECASE)]


def test_the_way_in_leads_nowhere_else(stranger: TestClient) -> None:
    for path in ("//evil.example/", "/%2f/evil.example", "/\\evil.example"):
        answer = stranger.get(HOME + path, params={"token": TOKEN})
        location = answer.headers.get("location", "/")
        assert location.startswith("/") and not location.startswith(("//", "/\\")), location


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{PORT}", ""]
)
def test_other_hosts_are_refused(questions: Path, visit: Visits, host: str) -> None:
    answer = visit(questions).client.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert "baseline" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
    ],
)
def test_requests_from_other_sites_are_refused(questions: Path, visit: Visits, headers: dict[str, str]) -> None:
    assert visit(questions).client.get("/", headers=headers).status_code == 403


def test_our_own_pages_may_ask(questions: Path, visit: Visits) -> None:
    client = visit(questions).client
    assert client.get("/", headers={"Sec-Fetch-Site": "same-origin", "Origin": HOME}).status_code == 200
    assert client.get("/", headers={"Sec-Fetch-Site": "none", "Host": f"localhost:{PORT}"}).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_reading_is_possible(questions: Path, visit: Visits, method: str) -> None:
    assert visit(questions).client.request(method, "/").status_code == 405


def test_every_answer_carries_the_headers(questions: Path, visit: Visits, stranger: TestClient) -> None:
    client = visit(questions).client
    answers = [client.get(path) for path in ("/", "/nowhere", "/static/viewer.js", "/live")] + [stranger.get("/")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    "path",
    [
        "/run/%2e%2e",
        "/run/x/../../etc/passwd",
        "/run/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/run/..%2f..%2fetc/passwd",
        "/run//etc/passwd",
        "/run/%2fetc%2fpasswd",
        "/run/linked",
        "/run/RUN/sample/0/media/..%2f..%2fmanifest.json",
        "/run/RUN/sample/-1",
        "/run/RUN/sample/0/media/-1",
        "/run/RUN/sample/0/media/99",
        "/run/RUN/sample/99999999999999999999999999",
        "/run/RUN/sample/0/reply/0/0",
        "/run/RUN/sample/0/reply/9/9",
        "/run/RUN/manifest.json",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2fetc%2fpasswd",
        "/static/viewer.css%00",
        "/compare?run=..&run=/etc",
        "/live/..%2f..",
    ],
)
def test_path_tricks_find_nothing(questions: Path, visit: Visits, path: str) -> None:
    visitor = visit(questions)
    answer = visitor.client.get(HOME + path.replace("RUN", visitor.runs()[0]))
    assert answer.status_code == 404
    assert "root:" not in answer.text and "data_sha256" not in answer.text


def test_links_out_of_the_folder_are_not_followed(questions: Path, tmp_path: Path, visit: Visits) -> None:
    run = next(questions.iterdir())
    (tmp_path / "linked").symlink_to(run, target_is_directory=True)
    shutil.copytree(run, tmp_path / "copied")
    for name in ("grades.parquet", "report.json", "journal.jsonl"):
        (tmp_path / "copied" / name).unlink()
        (tmp_path / "copied" / name).symlink_to(run / name)
    visitor = visit(tmp_path)
    assert len(visitor.runs()) == 1
    page = visitor.page(f"/run/{visitor.runs()[0]}")
    assert "File_" not in page and "41." not in page and "File_" not in visitor.page(f"/live/{visitor.runs()[0]}")


def hostile(questions: Path, place: Path, **fields: object) -> Path:
    """A copy of a run with other words in its journal."""
    shutil.copytree(next(questions.glob("*0.6")), place / "run")
    edit_journal(place / "run", 0, **fields)
    return place


def test_a_script_in_a_reply_is_only_text(questions: Path, tmp_path: Path, visit: Visits) -> None:
    text = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}"
    visitor = visit(hostile(questions, tmp_path, text=text))
    run = visitor.runs()[0]
    for path in (f"/run/{run}/sample/0", f"/compare?run={run}&run={run}"):
        page = visitor.page(path)
        assert "<script>alert" not in page and "<img src=x" not in page
        assert "&lt;script&gt;alert(1)" in page and "{{ 7*7 }}" in page


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"/><img src=x onerror=alert(1)>', "\u202e&amp;]]>"])
def test_a_model_full_of_markup_is_only_a_drawing(models: Path, tmp_path: Path, visit: Visits, name: str) -> None:
    shutil.copytree(next(models.iterdir()), tmp_path / "run")
    named = re.compile(r'"(P|L|S|LD)(\d+)"')
    model = named.sub(lambda found: json.dumps(name + found[2] + found[1]), said(tmp_path / "run", 2))
    edit_journal(tmp_path / "run", 2, text=model)
    visitor = visit(tmp_path)
    page = visitor.page(f"/run/{visitor.runs()[0]}/sample/2")
    drawings = [base64.b64decode(data).decode() for data in re.findall(r"svg\+xml;base64,([^\"]+)", page)]
    assert len(drawings) == 6
    for shown in (page, *drawings):
        assert name not in shown and "<script>" not in shown and "<img src=x" not in shown


def test_a_manifest_can_hold_anything(questions: Path, tmp_path: Path, visit: Visits) -> None:
    hostile(questions, tmp_path)
    path = tmp_path / "run" / "manifest.json"
    told = json.loads(path.read_text())
    evil = '"><script>alert(1)</script>\u202e'
    told |= {"model": evil, "title": evil, "suite": "os:system", "started": evil, "why_stopped": evil, "params": evil}
    path.write_text(json.dumps(told))
    visitor = visit(tmp_path)
    run = visitor.runs()[0]
    for page in (visitor.page("/"), visitor.page(f"/run/{run}"), visitor.page(f"/run/{run}/sample/0")):
        assert "<script>alert" not in page and "\u202e" not in page
    assert "is not installed" in page


def test_a_reply_of_five_megabytes_is_cut_and_can_be_had_whole(questions: Path, tmp_path: Path, visit: Visits) -> None:
    text = "<b>" + "word " * 1_000_000
    visitor = visit(hostile(questions, tmp_path, text=text))
    run = visitor.runs()[0]
    page = visitor.page(f"/run/{run}/sample/0")
    assert len(page) < 5 * MAX_CHARACTERS and "Truncated" in page
    whole = visitor.client.get(f"/run/{run}/sample/0/reply/1/1")
    assert whole.text == text
    assert whole.headers["content-type"].startswith("text/plain")
    assert whole.headers["content-disposition"].startswith("attachment")


def test_hidden_characters_are_shown(questions: Path, tmp_path: Path, visit: Visits) -> None:
    visitor = visit(hostile(questions, tmp_path, text="a\u202eb\u0000c\u001bd\u200be\u2066f\ufeffg\x7f\x85h"))
    page = visitor.page(f"/run/{visitor.runs()[0]}/sample/0")
    assert "a⟨U+202E⟩b␀c␛d⟨U+200B⟩e⟨U+2066⟩f⟨U+FEFF⟩g␡⟨U+0085⟩h" in page


def bomb(width: int, height: int) -> bytes:
    """The head of a picture that claims a size."""
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x00\x00\x00\x00"
    chunk = b"IHDR" + size
    return b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\x0d" + chunk + zlib.crc32(chunk).to_bytes(4, "big")


@pytest.mark.parametrize(
    "content",
    [b"", b"no picture", b"<svg onload='alert(1)'/>", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"BM", bomb(60_000, 60_000)],
    ids=["empty", "text", "svg", "cut png", "cut gif", "cut bmp", "bomb"],
)
def test_a_picture_that_is_no_picture_is_a_word(tmp_path: Path, questions: Path, visit: Visits, content: bytes) -> None:
    from sightline import evaluate
    from tests.support.worlds import write_questions

    data = write_questions(tmp_path / "data", 2)
    evaluate("simulation", data=str(data), model="baseline/oracle", output_dir=str(tmp_path / "runs"))
    (data / "data" / "structural" / "images" / "File_1.png").write_bytes(content)  # spoiled after it was asked
    visitor = visit(tmp_path / "runs")
    run = visitor.runs()[0]
    page = visitor.page(f"/run/{run}/sample/0")
    assert "Not shown" in page or "/media/0" not in page  # a file that is none by its head is no medium at all
    assert visitor.client.get(f"/run/{run}/sample/0/media/0").status_code == 404


def test_broken_files_are_told_or_passed_over(questions: Path, tmp_path: Path, visit: Visits) -> None:
    hostile(questions, tmp_path)
    (tmp_path / "run" / "grades.parquet").write_bytes(b"PAR1 nothing PAR1")
    (tmp_path / "run" / "report.json").write_text("{")
    (tmp_path / "run" / "journal.jsonl").write_bytes(b"\xff\xfe{}\n{\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text("[]")
    visitor = visit(tmp_path)
    assert len(visitor.runs()) == 1
    assert "Cannot read the grades" in visitor.page(f"/run/{visitor.runs()[0]}")
    visitor.page(f"/run/{visitor.runs()[0]}/sample/0")


def test_a_report_can_hold_anything(questions: Path, tmp_path: Path, visit: Visits) -> None:
    hostile(questions, tmp_path)
    path = tmp_path / "run" / "report.json"
    told = json.loads(path.read_text())
    facts = {"a": "<script>alert(1)</script>"}
    texts = ("{a}", "{a:>999999999}", "{a.__class__}", "{missing}", "{a!r}", "{0}", "{", "{a[0]}")
    told |= {"notes": [{"text": text, "facts": facts} for text in texts], "deviations": [{"text": "{", "facts": {}}]}
    told["rows"] = [row | {"core": False} for row in told["rows"]]
    path.write_text(json.dumps(told))
    visitor = visit(tmp_path)
    visitor.page("/")
    page = visitor.page(f"/run/{visitor.runs()[0]}")
    assert "<script>alert" not in page and len(page) < 200_000


def test_a_run_that_is_moved_away_is_not_found(questions: Path, tmp_path: Path, visit: Visits) -> None:
    visitor = visit(hostile(questions, tmp_path))
    run = visitor.runs()[0]
    visitor.page(f"/run/{run}")
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    visitor.page(f"/run/{run}", code=404)
    visitor.page(f"/run/{run}/sample/0", code=404)

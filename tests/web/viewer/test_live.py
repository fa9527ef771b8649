"""A run that is going on is shown from its journal."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from sightline.core.records import Answer, Failure
from sightline.web.viewer.journal_tail import RECENT, JournalTail
from tests.web.viewer.visits import Visit, append

Visits = Callable[[Path], Visit]


def running(questions: Path, place: Path) -> Path:
    """A run as it stands while it is asked: no grades, and a journal of a few lines."""
    run = place / "run"
    shutil.copytree(next(questions.glob("*0.3")), run)
    for name in ("grades.parquet", "report.json"):
        (run / name).unlink()
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(manifest | {"state": "running"}))
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (run / "journal.jsonl").write_bytes(b"".join(lines[:5]))
    return run


def test_pages_follow_a_run(questions: Path, tmp_path: Path, visit: Visits) -> None:
    run = running(questions, tmp_path)
    visitor = visit(tmp_path)
    name = visitor.runs()[0]
    assert 'data-live="/live"' in visitor.page("/")
    page = visitor.page(f"/run/{name}")
    assert "5 answered" in page and f'data-live="/live/{name}"' in page
    told = visitor.client.get(f"/live/{name}").json()
    assert told["state"] == "running" and len(told["recent"]) == 5
    said = Answer(position=7, sample="image/structural/File_1/q7", text="\u202eTrue<b>", at=time.time())
    failed = Failure(position=8, sample="x", kind="timeout", message="late", final=True, at=time.time())
    append(run / "journal.jsonl", said, failed)
    told = visitor.client.get(f"/live/{name}").json()
    assert told["text"] == "6 answered, 1 failed, last reply 0 s ago"
    assert told["recent"][1]["text"] == "⟨U+202E⟩True<b>"
    assert visitor.client.get("/live").json()[name]["text"] == told["text"]


def test_a_sample_is_graded_as_soon_as_it_is_answered(questions: Path, tmp_path: Path, visit: Visits) -> None:
    running(questions, tmp_path)
    visitor = visit(tmp_path)
    name = visitor.runs()[0]
    answered = visitor.client.get(f"/live/{name}").json()["recent"][0]["position"]
    assert "Score" in visitor.page(f"/run/{name}/sample/{answered}")
    waiting = visitor.page(f"/run/{name}/sample/119")
    assert "No reply was stored" in waiting and "Is statement 29 right?" in waiting
    visitor.page(f"/run/{name}/sample/120", code=404)


def test_a_watch_reads_whole_lines_once(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    watch = JournalTail(journal)
    assert watch.poll()[0].answered == 0
    for number in range(20):
        append(journal, Answer(position=number, sample="s", text="t", tokens_in=2))
        assert watch.poll()[0].answered == number + 1
    course, recent = watch.poll()
    assert (course.tokens_in, len(recent), recent[0].position) == (40, RECENT, 19)
    whole = journal.read_bytes()
    journal.write_bytes(whole + whole[:10])
    assert watch.poll()[0].answered == 20
    journal.write_bytes(whole + whole[: whole.index(b"\n") + 1])
    assert watch.poll()[0].answered == 21
    journal.write_bytes(b"broken\n" + whole[: whole.index(b"\n") + 1])
    course, _ = watch.poll()
    assert (course.answered, course.unreadable) == (1, 1)


def test_a_watch_follows_every_process_that_asks(tmp_path: Path) -> None:
    watch = JournalTail(tmp_path / "journal.jsonl")
    for name in ("journal.jsonl", "journal.host-7.jsonl"):
        append(tmp_path / name, Answer(position=1, sample=name, text="True", at=1.0))
    course, recent = watch.poll()
    assert course.answered == 2 and {record.sample for record in recent} == {"journal.jsonl", "journal.host-7.jsonl"}
    append(tmp_path / "journal.host-7.jsonl", Answer(position=2, sample="later", text="True", at=2.0))
    assert watch.poll()[0].answered == 3
    (tmp_path / "journal.host-7.jsonl").unlink()
    assert watch.poll()[0].answered == 1

"""JSON from disk: what can't be read ends in one error that callers expect, and for a user in one message."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from sightline.core.errors import DataError
from sightline.core.records import Answer
from sightline.data.json_decoding import decode_json, read_json_file
from sightline.data.replies import SavedReplies
from sightline.inference.journal import JournalReader
from sightline.runs.manifest import load_manifest
from sightline.scoring.summary import load_summary
from sightline.web.viewer.journal_tail import JournalTail
from tests.support.worlds import only_run, sightline, write_questions

DEEP = "[" * 100_000 + "]" * 100_000
HOSTILE = [DEEP.encode(), b'{"a": ' * 50_000, b"\xff\xfe{", b"", b"{", b'"\xed\xa0\x80"']


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_invalid_json_raises_one_type_of_error(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_json(data)
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(ValueError):
        read_json_file(tmp_path / "f")


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_unreadable_files_of_a_run_are_reported(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f").write_bytes(data)
    for load in (load_manifest, load_summary):
        with pytest.raises(DataError, match="Cannot read"):
            load(tmp_path / "f")


LINES = {
    "a position of 20 digits": b'{"type":"answer","position":12345678901234567890,"sample":"s"}',
    "a position of 30 digits": b'{"type":"answer","position":123456789012345678901234567890,"sample":"s"}',
    "a position below none": b'{"type":"answer","position":-12345678901234567890,"sample":"s"}',
    "a position that is no whole number": b'{"type":"answer","position":1.5,"sample":"s"}',
    "too deep": b'{"type":"answer","position":1,"sample":"s","x":' + DEEP.encode() + b"}",
    "no UTF-8": b'{"type":"answer","position":1,"sample":"\xff"}',
    "a lone surrogate": b'{"type":"answer","position":1,"sample":"\xed\xa0\x80"}',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_line_of_the_journal_that_cannot_be_read_costs_only_itself(tmp_path: Path, line: bytes) -> None:
    journal = tmp_path / "journal.jsonl"
    good = msgspec.json.encode(Answer(position=0, sample="s0", text="True"))
    journal.write_bytes(line + b"\n" + good + b"\n")
    history = JournalReader(journal)
    assert len(history.attempts(0, "s0")) == 1
    assert history.attempts(1, "s") == []
    assert history.counts.unreadable >= 1
    history.close()
    course, _ = JournalTail(journal).poll()
    assert course.answered >= 1


def test_counts_of_tokens_that_fit_nowhere_do_no_harm(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    journal.write_text('{"type":"answer","position":0,"sample":"s","tokens_in":12345678901234567890}\n' * 2)
    history = JournalReader(journal)
    assert (history.counts.requests, history.counts.tokens_in, history.counts.uncounted) == (2, 0, 2)
    history.close()


def test_saved_replies_nested_too_deeply_are_unreadable_lines(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "a", "text": ' + DEEP + '}\n{"id": "b", "text": "True"}\n')
    replies = SavedReplies(path)
    assert replies.unreadable == [1] and replies.find("b") == "True"
    replies.close()
    path.write_text(DEEP)
    with pytest.raises(DataError):
        SavedReplies(path)


@pytest.mark.slow
def test_the_command_line_tells_in_one_message(tmp_path: Path) -> None:
    deep = tmp_path / "deep"
    deep.mkdir()
    (deep / "q.json").write_text('{"structural": ' + DEEP + "}")
    told = sightline("run", "simulation", "--data", deep, "--model", "baseline/random", cwd=tmp_path)
    assert told.returncode == 2 and "q.json" in told.stderr and "Traceback" not in told.stderr
    data = write_questions(tmp_path / "data", 4)
    sightline("run", "simulation", "--data", data, "--model", "baseline/random", cwd=tmp_path)
    run = only_run(tmp_path / "runs")
    whole = json.loads((run / "report.json").read_text())
    (run / "report.json").write_text(json.dumps(whole)[:-1] + ', "more": ' + DEEP + "}")
    told = sightline("show", run, cwd=tmp_path)
    assert told.returncode == 2 and "report.json" in told.stderr and "Traceback" not in told.stderr
    (run / "manifest.json").write_text(DEEP)
    for command in ("show", "regrade", "report"):
        told = sightline(command, run, cwd=tmp_path)
        assert told.returncode == 2 and "manifest.json" in told.stderr and "Traceback" not in told.stderr, command

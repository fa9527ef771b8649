"""The journal: what is written is found again, whatever happened at its end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.config import RunConfig
from sightline.core.errors import StorageError
from sightline.core.records import Answer, Failure
from sightline.inference.budget import Budget
from sightline.inference.journal import JournalReader, JournalWriter, move_torn_line
from sightline.inference.sharing import FileLock


def answer(position: int, text: str = "True", attempt: int = 1, turn: int = 1) -> Answer:
    return Answer(position=position, sample=f"s{position}", text=text, attempt=attempt, turn=turn, tokens_in=3)


def failure(position: int, final: bool = True, attempt: int = 1) -> Failure:
    return Failure(position=position, sample=f"s{position}", kind="reset", message="m", final=final, attempt=attempt)


def write(path: Path, *records: Answer | Failure) -> Path:
    journal = JournalWriter(path)
    for record in records:
        journal.write(record)
    journal.close()
    return path


def test_written_records_are_found_by_position_in_any_order(tmp_path: Path) -> None:
    path = write(tmp_path / "j", answer(5), answer(2), failure(9), answer(3, "x\ny\u2028z"), failure(1, final=False))
    history = JournalReader(path)
    assert history.attempts(5, "s5")[0].answers == [answer(5)]
    assert history.attempts(3, "s3")[0].answers[0].text == "x\ny\u2028z"
    assert history.attempts(9, "s9")[0].failure == failure(9)
    assert history.attempts(1, "s1") == []
    assert history.attempts(5, "another") == []
    assert (history.counts.requests, history.counts.tokens_in, len(history)) == (5, 9, 4)
    history.close()


def test_an_answer_supersedes_a_failure_and_attempts_keep_their_order(tmp_path: Path) -> None:
    path = write(
        tmp_path / "j",
        failure(1),
        answer(1),
        answer(1, "b", 2),
        failure(1, attempt=3),
        answer(2, "t2", 1, 2),
        answer(2),
    )
    history = JournalReader(path)
    first, second, third = history.attempts(1, "s1")
    assert (first.answers, first.failure) == ([answer(1)], None)
    assert second.answers[0].text == "b"
    assert third.failure is not None
    assert [one.turn for one in history.attempts(2, "s2")[0].answers] == [1, 2]
    history.close()


@given(st.text(max_size=40), st.integers(0, 200))
def test_only_a_torn_last_line_is_moved_aside(tmp_path_factory: pytest.TempPathFactory, text: str, cut: int) -> None:
    path = write(tmp_path_factory.mktemp("j") / "journal.jsonl", answer(0), answer(1, text))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    size = min(first + cut, len(whole))
    os.truncate(path, size)
    journal = JournalWriter(path)
    journal.write(answer(2))
    journal.close()
    history = JournalReader(path)
    assert history.counts.unreadable == 0
    assert history.attempts(0, "s0") and history.attempts(2, "s2")
    assert bool(history.attempts(1, "s1")) == (size == len(whole))
    torn = size - first if size < len(whole) else 0
    assert journal.torn_bytes == torn
    if torn:
        assert path.with_suffix(".jsonl.torn").read_bytes() == whole[first:size] + b"\n"
    history.close()


def test_a_journal_that_is_one_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(b'{"type":"ans' + b"x" * 200_000)
    assert move_torn_line(path) == 200_012
    assert path.read_bytes() == b""


def test_a_corrupt_line_in_the_middle_loses_only_itself(tmp_path: Path) -> None:
    path = write(tmp_path / "j", answer(0))
    with path.open("ab") as file:
        file.write(b"\xff\xfe garbage\n")
    write(path, answer(1))
    history = JournalReader(path)
    assert history.counts.unreadable == 1
    assert history.attempts(0, "s0") and history.attempts(1, "s1")
    history.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a disk that is always full")
def test_a_full_disk_stops_the_run_with_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "j").symlink_to("/dev/full")
    journal = JournalWriter(tmp_path / "j")
    with pytest.raises(StorageError, match="No space left on device"):
        journal.write(answer(0))
    journal.close()


def test_a_disk_that_fills_up_within_a_line_leaves_no_torn_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "j", answer(0))
    before = path.read_bytes()
    journal = JournalWriter(path)
    real = journal._file

    class Filling:
        room = 10

        def write(self, data: bytes) -> int:
            if not self.room:
                raise OSError(28, "No space left on device")
            taken, self.room = self.room, 0
            return real.write(data[:taken])

    journal._file = Filling()  # type: ignore[assignment]
    with pytest.raises(StorageError, match="No space left"):
        journal.write(answer(1))
    real.close()
    assert path.read_bytes() == before


def test_two_processes_do_not_share_a_folder(tmp_path: Path) -> None:
    one, other = FileLock(tmp_path / ".lock"), FileLock(tmp_path / ".lock")
    one.acquire()
    with pytest.raises(StorageError, match="Another process"):
        other.acquire()
    one.release()
    other.acquire()
    other.release()


def test_an_absurd_attempt_number_does_not_fill_the_memory(tmp_path: Path) -> None:
    history = JournalReader(write(tmp_path / "j", answer(1), answer(1, "x", 10**9), answer(1, "y", 0)))
    assert [attempt.answers for attempt in history.attempts(1, "s1")] == [[answer(1)]]
    history.close()


@pytest.mark.parametrize("tokens", ["-5", "1000000000000000000", "9" * 30, "9" * 400])
def test_tokens_that_nobody_can_have_used_are_not_counted(tmp_path: Path, tokens: str) -> None:
    """A journal of a stranger neither hides its cost, nor stops the run that resumes it."""
    path = write(tmp_path / "j", answer(1))
    fields = f'"tokens_in":{tokens},"tokens_out":{tokens},"tokens_reasoning":{tokens}'
    with path.open("a") as file:
        file.write(f'{{"type":"answer","position":0,"sample":"s0","text":"True",{fields}}}\n')
    history = JournalReader(path)
    counts = history.counts
    assert (counts.requests, counts.tokens_in, counts.tokens_out, counts.tokens_reasoning) == (2, 3, 0, 0)
    assert counts.uncounted == 1
    assert Budget(RunConfig(price_in=1.0, price_out=1.0), counts).cost == 3e-6
    assert history.attempts(0, "s0")[0].answers[0].text == "True"
    history.close()

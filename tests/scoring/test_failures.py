"""Reasons for failures: always in the summary, in few groups, and without anything that a terminal or page obeys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline import evaluate, generate
from sightline.core.records import Failure
from sightline.core.remarks import Remark
from sightline.scoring.failures import FailureCounter, clean_text, failure_line
from tests.support.worlds import sightline, write_questions

HOSTILE = "\x1b[31mred\x1b[0m \x1b]0;title\x07 <script>alert(1)</script> [bold]x[/] \u202eturned\u200b \r\n" + "y" * 500


def tally(*notes: str) -> FailureCounter:
    made = FailureCounter()
    for note in notes:
        made.add(note)
    return made


def test_messages_that_differ_in_numbers_ids_and_paths_are_one_reason() -> None:
    made = tally(
        *(f"overloaded: HTTP 503: request req_{k}f is over {k} tokens" for k in range(30)),
        *(f"timeout: No response within {k}.5 s." for k in range(12)),
        *(f"media: Cannot load /data/{name}.png: no '{name}'" for name in ("a", "b", "c")),
        "overloaded: HTTP 500: request req_1 is over 3 tokens",
    )
    assert [(group.kind, group.count) for group in made.groups()] == [
        ("overloaded", 30),
        ("timeout", 12),
        ("media", 3),
        ("overloaded", 1),
    ]
    assert made.groups()[0].message == "HTTP 503: request req_0f is over 0 tokens"
    assert failure_line(made.groups(), 46).startswith("46 samples failed: 30 × overloaded: HTTP 503: request req_0f")


def test_reasons_beyond_the_largest_are_counted_together() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"]
    made = tally(*(f"rejected: {word}" for k, word in enumerate(words) for _ in range(10 - k)))
    assert len(made.groups()) == 5 and len(made.notes()) == 6
    assert "9 samples" in str(made.notes()[-1]) and failure_line(made.groups(), 49).endswith("; 9 for other reasons")


def test_a_reason_for_every_sample_fills_no_memory() -> None:
    made = tally(*(f"rejected: {'x' * (k % 150)}{chr(0x4E00 + k)}" for k in range(3000)))
    assert made.total == 3000 and len(made._groups) <= 1000
    assert sum(group.count for group in made.groups()) + int(made.notes()[-1].args["count"]) == 3000


@given(st.text())
def test_what_a_server_says_can_do_no_harm(text: str) -> None:
    clean = clean_text(text + HOSTILE + text)
    assert clean.isprintable() and len(clean) <= 200
    made = tally(f"rejected: {text}", text)
    assert made.total == 2 and failure_line(made.groups(), 2).isprintable()


def test_escapes_are_taken_out_whole() -> None:
    assert clean_text(HOSTILE).startswith("red <script>alert(1)</script> [bold]x[/] turned yyy")


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["simulation", "remote-sensing"])
def test_all_reports_tell_why_samples_failed(tmp_path: Path, suite: str) -> None:
    if suite == "simulation":
        data = write_questions(tmp_path / "data", 12)
    else:
        data = generate(suite, tmp_path / "data", count=2)
    flags = {"data": str(data), "output_dir": str(tmp_path / "runs"), "model": "baseline/oracle"}
    run = evaluate(suite, **flags).folder
    spoil(run, 7)
    told = sightline("regrade", run, cwd=tmp_path)
    assert told.returncode == 3, told.stderr
    summary = json.loads((run / "report.json").read_text())
    assert [(one["kind"], one["count"]) for one in summary["failures"]] == [("rejected", 4), ("timeout", 3)]
    pages = {kind: (run / f"report.{kind}").read_text(encoding="utf-8") for kind in ("md", "html", "json")}
    as_json = sightline("regrade", run, "--json", cwd=tmp_path)  # people read standard error then
    for name, text in {"stdout": told.stdout, "stderr with --json": as_json.stderr, **pages}.items():
        expected = "No response within {seconds} s." if name == "json" else "No response within 180"
        assert expected in text and "HTTP 400" in text and "samples failed" in text, name
        assert not {"\x1b", "\u202e", "\u200b"} & set(text), name
    assert "<script>alert" not in pages["html"] and "<script>alert" not in pages["md"]
    assert "180.0 秒" in sightline("show", run, "--lang", "zh", cwd=tmp_path).stdout


TIMEOUT = Remark("No response within {seconds} s.", {"seconds": 180.0})


def spoil(run: Path, count: int) -> None:
    """Let the first samples of a run have failed, in two ways."""
    import msgspec

    lines = [json.loads(line) for line in (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    failures = [
        Failure(
            position=line["position"],
            sample=line["sample"],
            kind="timeout" if k % 2 else "rejected",
            message=TIMEOUT if k % 2 else f"HTTP 400: bad {k} {HOSTILE}",
            final=True,
        )
        for k, line in enumerate(lines[:count])
    ]
    rest = [json.dumps(line, ensure_ascii=False).encode() for line in lines[count:]]
    (run / "journal.jsonl").write_bytes(b"\n".join([*map(msgspec.json.encode, failures), *rest]) + b"\n")

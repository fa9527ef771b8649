"""What every registered suite owes, without a line of its own."""

from __future__ import annotations

import hashlib
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.core import registry
from sightline.core.interfaces import ColumnSuite, Feedback
from sightline.core.records import Answer, Attempt, Grade, Message, Parsed, Sample, Stop, Unparsed
from sightline.core.registry import find, load_suite, names
from sightline.core.settings import table
from sightline.scoring.column_scorer import ColumnScorer
from sightline.scoring.resolve import find_metric
from sightline.scoring.sample_scorer import grade_attempt
from tests.support.worlds import ROOT

SUITES = names("suites")


@pytest.fixture(scope="module", params=SUITES)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, list[Sample]]:
    """A suite's name, a fresh data set of it, and its samples."""
    folder = tmp_path_factory.mktemp(request.param) / "data"
    suite = load_suite(request.param)
    suite.generate(folder, 8, seed=1, recipe=suite.demo_config)
    samples = [sample for sample in suite.dataset(folder) if isinstance(sample, Sample)]
    assert samples
    return request.param, folder, samples


def replied(name: str, sample: Sample, text: str, stop: Stop = "complete") -> Grade:
    """The grade when every turn brings the same words."""
    suite, attempt = load_suite(name), Attempt([])
    while suite.next_prompt(sample, attempt.answers) is not None:
        turn = len(attempt.answers) + 1
        attempt.answers.append(Answer(position=0, sample=sample.id, turn=turn, text=text, stop=stop))
        assert turn < 1000
    return grade_attempt(suite, sample, attempt)


def test_the_ideal_reply_earns_full_marks(world: tuple[str, Path, list[Sample]]) -> None:
    name, _, samples = world
    suite = load_suite(name)
    for sample in samples:
        grade = replied(name, sample, suite.oracle_reply(sample))
        assert (grade.status, grade.score) == ("answered", 1.0), sample


def test_the_parser_that_a_task_declares_reads_its_replies(
    world: tuple[str, Path, list[Sample]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another parser in its place decides what is read; `text` hands replies over as they are."""
    name, _, samples = world
    suite = load_suite(name)
    ideal = {sample.task: (sample, suite.oracle_reply(sample)) for sample in samples}
    assert ideal
    if isinstance(suite, ColumnSuite):
        for task in ideal:
            declared = suite.tasks()[task]
            assert ColumnScorer(declared, suite.reading, []).parser.kind == find("parsers", declared.parser).kind
        return
    found = registry.find

    def unreadable(text: str) -> Unparsed:
        return Unparsed("not by this parser")

    for task, (sample, text) in ideal.items():
        if suite.tasks()[task].parser == "text":
            assert find("parsers", "text")(text) == Parsed(text, "texts")
            continue
        monkeypatch.setattr(registry, "find", lambda kind, key: unreadable if kind == "parsers" else found(kind, key))
        grade = replied(name, sample, text)
        assert (grade.status, grade.message) == ("unparsed", "not by this parser")
        monkeypatch.setattr(registry, "find", found)


def test_no_spoiled_reply_earns_full_marks(world: tuple[str, Path, list[Sample]]) -> None:
    name, _, samples = world
    suite = load_suite(name)
    for sample in samples:
        spoiled = suite.corrupted_replies(sample)
        assert spoiled
        for way, reply in spoiled.items():
            assert replied(name, sample, reply).score < 1, (way, sample)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(), stop=st.sampled_from(("complete", "truncated", "refused")), pick=st.integers(0, 10**6))
def test_any_text_gets_a_grade(world: tuple[str, Path, list[Sample]], text: str, stop: Stop, pick: int) -> None:
    name, _, samples = world
    grade = replied(name, samples[pick % len(samples)], text, stop)
    assert 0 <= grade.score <= 1
    assert not (grade.status != "answered" and grade.score), "what could not be read earns nothing"
    assert "scorer:" not in grade.message, grade.message
    if stop == "refused":
        assert grade.status == "refused"


NESTED = (
    "[" * 1000 + "]" * 1000,
    "[" * 100_000,
    '{"a":' * 5000 + "1" + "}" * 5000,
    "```json\n" + "[" * 3000 + "\n```",
    '{"points":' + "[" * 2000 + "]" * 2000 + "}",
    "f(" * 3000 + ")" * 3000,
    "<answer>" * 5000,
    "\\boxed{" * 5000,
    "1" * 5000,
    "1e" + "9" * 4000,
)
"""Replies that exhaust the stack or the digits of a naive reader."""


@pytest.mark.parametrize("text", NESTED, ids=lambda text: f"{text[:8]}×{len(text)}")
def test_a_reply_of_any_depth_gets_a_grade(world: tuple[str, Path, list[Sample]], text: str) -> None:
    name, _, samples = world
    for sample in {sample.task: sample for sample in samples}.values():
        grade = replied(name, sample, text)
        assert grade.status in ("answered", "unparsed", "empty") and 0 <= grade.score <= 1
        assert "scorer:" not in grade.message, grade.message


def test_empty_and_cut_replies_have_states_of_their_own(world: tuple[str, Path, list[Sample]]) -> None:
    name, _, samples = world
    assert replied(name, samples[0], "").status == "empty"
    assert replied(name, samples[0], " \n\t ").status == "empty"
    assert replied(name, samples[0], "Let me think about whether", "truncated").status == "truncated"


def test_the_choices_of_a_guesser_can_be_read(world: tuple[str, Path, list[Sample]]) -> None:
    name, _, samples = world
    suite = load_suite(name)
    for sample in samples[:20]:
        for choice in suite.choices(sample):
            assert replied(name, sample, choice).status == "answered"


def test_feedback_does_not_repeat_the_answer_key(world: tuple[str, Path, list[Sample]]) -> None:
    name, _, samples = world
    suite = load_suite(name)
    if not isinstance(suite, Feedback):
        return
    for sample in samples[:20]:
        for reply in suite.corrupted_replies(sample).values():
            told = suite.feedback(sample, replied(name, sample, reply))
            assert told is None or suite.oracle_reply(sample) not in told.replace("True or False", "")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(world: tuple[str, Path, list[Sample]], tmp_path: Path) -> None:
    name, folder, _ = world
    suite = load_suite(name)
    suite.generate(tmp_path / "again", 8, seed=1, recipe=suite.demo_config)
    suite.generate(tmp_path / "other", 8, seed=2, recipe=suite.demo_config)
    assert digest(tmp_path / "again") == digest(folder)
    assert digest(tmp_path / "other") != digest(folder)


def digest(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_reading_is_lazy_and_repeats_itself(world: tuple[str, Path, list[Sample]]) -> None:
    name, folder, _ = world
    suite = load_suite(name)
    stream = iter(suite.dataset(folder))
    assert iter(stream) is stream, "a list would hold the data set in memory"
    assert list(islice(stream, 5)) == list(islice(suite.dataset(folder), 5))


def test_ids_are_unique_and_tasks_are_known(world: tuple[str, Path, list[Sample]]) -> None:
    name, _, samples = world
    tasks = load_suite(name).tasks()
    assert len({sample.id for sample in samples}) == len(samples)
    assert {sample.task for sample in samples} <= set(tasks)
    for task in tasks.values():
        find("parsers", task.parser)
        for metric in (*task.metrics, *task.auxiliary):
            find_metric(metric)


def test_prompts_start_with_the_user(world: tuple[str, Path, list[Sample]]) -> None:
    name, _, samples = world
    prompt = load_suite(name).next_prompt(samples[0], ())
    assert prompt is not None
    assert isinstance(prompt.messages[0], Message)
    assert prompt.messages[-1].role == "user"


@pytest.mark.parametrize("name", SUITES)
def test_it_is_documented_in_both_languages(name: str) -> None:
    for page in (ROOT / "docs" / "suites" / f"{name}.md", ROOT / "docs" / "zh" / "suites" / f"{name}.md"):
        text = page.read_text(encoding="utf-8")
        for row in table(find("suites", name).options_type):
            assert row.flag in text, f"{page} does not tell of {row.flag}"
        for task in load_suite(name).tasks().values():
            for metric in (*task.metrics, *task.auxiliary):
                assert metric in text, f"{page} does not tell of {metric}"

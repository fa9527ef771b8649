"""Reading True or False: the published rules, rule by rule, and nothing that a reply can do against them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.records import Parsed, Unparsed
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.parsers.true_false import opens_with_answer, read_true_false


@pytest.mark.parametrize(
    ("reply", "value", "rule"),
    [
        ("True", True, "word"),
        ("FALSE.", False, "word"),
        ("The answer is **true**", True, "word"),
        ("It is untrue", True, "word"),  # the published rule looks for the letters, and so do we
        ("True or false? True.", True, "initial"),
        ("T", True, "initial"),
        ("f", False, "initial"),
        ("false, not true", False, "initial"),
        ("it could be true or false: the tests", True, "letters"),
        ("off, of", False, "letters"),
        ("Yes, it does.", True, "letters"),
        ("<think>false false</think>True", True, "word"),
        ("I say false… </think>\n\nTrue", True, "word"),
    ],
)
def test_the_rules_in_their_order(reply: str, value: bool, rule: str) -> None:
    assert read_true_false(reply) == Parsed(value, rule)


@pytest.mark.parametrize("reply", ["", "   ", "Yes", "no", "42", "<think>true", "中文"])
def test_nothing_to_read_is_unparsed(reply: str) -> None:
    assert isinstance(read_true_false(reply), Unparsed)


def reference(reply: str) -> bool | None:
    """The rules once more, as the specification words them."""
    text = reply.lower()
    if "true" in text and "false" not in text:
        return True
    if "false" in text and "true" not in text:
        return False
    if text.startswith("t"):
        return True
    if text.startswith("f"):
        return False
    return None if text.count("t") == text.count("f") else text.count("t") > text.count("f")


@given(st.one_of(st.text(), st.text(alphabet="truefals .T\n")))
def test_any_text_is_read_as_the_specification_says(text: str) -> None:
    found = read_true_false(text)
    assert isinstance(found, Parsed | Unparsed)
    if "<" not in text:
        expected = reference(text.strip())
        assert (found.value if isinstance(found, Parsed) else None) == expected


def test_a_cut_reply_counts_only_if_it_opens_with_the_answer() -> None:
    assert opens_with_answer("True, because the")
    assert opens_with_answer("**False**: the flow")
    assert not opens_with_answer("Let me consider whether it is true that")
    assert not opens_with_answer("<think>True")
    assert not opens_with_answer("Truely")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("a<think>b", "a"),
        ("<THINKING>a</THINKING> b <think>c</think>d", " b d"),
        ("no tags", "no tags"),
        ("<think><think>a</think>b", "b"),
    ],
)
def test_thinking_is_not_the_answer(text: str, kept: str) -> None:
    assert without_thinking(text) == kept


@given(st.text(), st.text())
def test_what_follows_the_last_thought_is_kept_as_it_is(thought: str, answer: str) -> None:
    if "<" not in answer:
        assert without_thinking(f"<think>{thought}</think>{answer}").endswith(answer)


def test_a_reply_made_of_tags_takes_no_longer_than_its_length() -> None:
    started = time.process_time()
    read_true_false("<think>" * 200_000)
    read_true_false("</think>" * 200_000)
    assert time.process_time() - started < 5  # quadratic reading would take hours

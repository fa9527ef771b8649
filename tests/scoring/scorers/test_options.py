"""Options: how they are shown, and which of them a reply names."""

from __future__ import annotations

import pytest

from sightline.core.errors import UsageError
from sightline.scoring.scorers.options import (
    NO_OPTION,
    ONLY_NEGATED,
    SEVERAL_OPTIONS,
    append_options,
    find_named_option,
    format_options,
    option_letter,
    option_letter_of_text,
)
from tests.scoring.scorers.cases import score_reply

OPTIONS = ("vitamin A", "vitamin B", "vitamin C", "a dog")
B = [
    "B",
    "b",
    "(b)",
    "B.",
    "B)",
    "[B]",
    "**B**",
    "Ｂ",
    "Answer: B",
    "**Answer:** B",
    "The answer is (B).",
    "the answer is b",
]
B += [
    "选B",
    "我选择B",
    "选项B正确",
    "答案是B",
    "答案：B。",
    "答案为 B，因为它大",
    "正确答案是（B）",
    "B选项",
    "\\boxed{B}",
    "I think B",
]
B += ["B. vitamin B", "b) Vitamin B", "vitamin b", "It is vitamin B.", "<answer>B</answer>", "<think>A or C</think>B"]
B += [
    "Option A shows x. Option C shows y.\nFinal answer: B",
    "The answer is B because A is wrong",
    "Not A. B",
    "I choose B!",
]
B += ["A is incorrect, so B", "不选A，选B", "<|begin_of_box|>B<|end_of_box|>", '"B"', "Answer:\nB"]
UNREADABLE = {
    "A or B": SEVERAL_OPTIONS,
    "Answer: A or B": SEVERAL_OPTIONS,
    "选A或B": SEVERAL_OPTIONS,
    "A, B": SEVERAL_OPTIONS,
    "A and B are right": SEVERAL_OPTIONS,
}
UNREADABLE |= {
    "B. vitamin C": SEVERAL_OPTIONS,
    "vitamin A or vitamin B": SEVERAL_OPTIONS,
    "Answer: A\nAnswer: B": SEVERAL_OPTIONS,
    "(A) (B)": SEVERAL_OPTIONS,
}
UNREADABLE |= {
    "a cat": NO_OPTION,
    "A cat": NO_OPTION,
    "X-axis": NO_OPTION,
    "I'm not sure": NO_OPTION,
    "不选A": NO_OPTION,
    "The answer is not B": NO_OPTION,
}
UNREADABLE |= {"It is not vitamin B": ONLY_NEGATED, "It isn't a dog": ONLY_NEGATED}


@pytest.mark.parametrize("reply", B)
def test_a_letter_or_a_text_names_an_option(reply: str) -> None:
    assert find_named_option(reply, OPTIONS).index == 1, find_named_option(reply, OPTIONS)
    assert score_reply("accuracy", "vitamin B", reply, OPTIONS).value == 1
    wrong = score_reply("accuracy", "vitamin C", reply, OPTIONS)
    assert (wrong.value, wrong.status) == (0, "answered")


@pytest.mark.parametrize(("reply", "why"), UNREADABLE.items())
def test_what_names_none_or_several_is_unparsed(reply: str, why: str) -> None:
    found = score_reply("accuracy", "vitamin B", reply, OPTIONS)
    assert (found.status, found.message) == ("unparsed", why)


@pytest.mark.parametrize("reply", ["E", "(f)", "Answer: Z", "选E"])
def test_a_letter_that_is_no_option_is_wrong(reply: str) -> None:
    found = score_reply("accuracy", "vitamin B", reply, OPTIONS)
    assert (found.value, found.status) == (0, "answered")


@pytest.mark.parametrize("reply", ["a dog", "A dog", "A dog is there", "Answer: a dog", "Answer: A dog", "D: a dog"])
def test_an_article_is_no_letter(reply: str) -> None:
    assert find_named_option(reply, OPTIONS).index == 3


def test_chinese_options() -> None:
    assert score_reply("accuracy", "左边", "在左边", ("上边", "左边")).value == 1
    assert score_reply("accuracy", "左边", "不是左边", ("上边", "左边")).message == ONLY_NEGATED


def test_an_option_inside_another_is_not_named() -> None:
    options = ("red circle", "dark red circle", "circle")
    assert find_named_option("I see a dark red circle", options).index == 1


def test_the_truth_may_be_a_letter_and_must_be_an_option() -> None:
    assert score_reply("accuracy", "B", "vitamin B", OPTIONS).value == 1
    assert score_reply("accuracy", "b", "A", ("b", "c")).value == 1  # the text comes first
    assert score_reply("accuracy", "vitamin D", "A", OPTIONS).status == "invalid"


@pytest.mark.parametrize(
    ("target", "reply", "score"),
    [
        ("Red", "RED!", 1),
        ("red", "`red`", 1),
        ("New  York", "new york", 1),
        (3, "3", 1),
        (3.0, "3", 1),
        (True, "true", 1),
        (["sofa", "couch"], "Couch.", 1),
        ("ﬁre", "FIRE", 1),
        ("red", "The answer is red", 1),
        ("red", "答案是red", 1),
        ("red", '{"answer": "Red"}', 1),
        (3, '```json\n{"answer": 3}\n```', 1),
        (".5", "5", 0),
        ("red", "reddish", 0),
        ("red", "not red", 0),
    ],
)
def test_without_options_texts_are_folded(target: object, reply: str, score: int) -> None:
    assert score_reply("accuracy", target, reply).value == score


def test_two_answers_are_none() -> None:
    assert score_reply("accuracy", "red", "Answer: red\nAnswer: blue").status == "unparsed"


def test_options_are_shown() -> None:
    assert format_options(("up", "down")) == "A. up\nB. down"
    assert append_options("Where?", ()) == "Where?"
    assert append_options("Where?", ("up", "down")).endswith("A. up\nB. down\nAnswer with the letter only.")
    assert append_options("在哪里？", ("上",), "zh").endswith("A. 上\n只回答选项的字母。")
    assert option_letter_of_text("down", ("up", "down")) == "B" and option_letter_of_text("left", ("up", "down")) == ""
    with pytest.raises(UsageError, match="more than letters"):
        option_letter(26)

"""Texts against independent ways of counting: edit distance, F1, BLEU, VQA; and what stands in what."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.scoring.scorers.accuracy import normalize_answer
from sightline.scoring.scorers.ocr import MAX_COMPARED_LENGTH, edit_distance
from sightline.scoring.scorers.sentence_bleu import sentence_bleu
from tests.scoring.scorers.cases import score_reply
from tests.support.peers import Peer

sklearn_metrics = Peer("sklearn.metrics")

few = st.text("ab 中", max_size=12)


def levenshtein(one: str, other: str) -> int:
    """The whole table, cell by cell."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, j in product(range(len(one) + 1), range(len(other) + 1)):
        if not i or not j:
            table[i][j] = i + j
        else:
            changed = table[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            table[i][j] = min(changed, table[i - 1][j] + 1, table[i][j - 1] + 1)
    return table[-1][-1]


@settings(max_examples=300, deadline=None)
@given(few, few)
def test_the_distance_is_levenshteins(one: str, other: str) -> None:
    assert edit_distance(one, other) == levenshtein(one, other) == edit_distance(other, one)


def test_the_distance_over_many_machine_words() -> None:
    one = "the quick brown fox jumps over the lazy dog " * 5
    other = one.replace("fox", "wolf").replace("lazy ", "")[7:]
    assert edit_distance(one, other) == levenshtein(one, other)


def test_the_distance_of_long_texts_is_bounded_from_above() -> None:
    shared = "ab" * MAX_COMPARED_LENGTH
    assert edit_distance(shared + "x" + shared, shared + "y" + shared) == 1
    one, other = "x" + "ab" * MAX_COMPARED_LENGTH + "p", "y" + "ab" * MAX_COMPARED_LENGTH + "qr"
    assert 3 <= edit_distance(one, other) <= len(other)
    assert edit_distance("", "z" * 3 * MAX_COMPARED_LENGTH) == 3 * MAX_COMPARED_LENGTH


@settings(max_examples=200, deadline=None)
@given(
    st.text("abC d", min_size=1, max_size=12),
    st.lists(st.text("abC d", min_size=1, max_size=12), min_size=1, max_size=3),
)
def test_anls_and_cer_by_their_definitions(reply: str, truths: list[str]) -> None:
    def folded(text: str) -> str:
        return " ".join(text.split())

    said, true = folded(reply), [folded(truth) for truth in truths if folded(truth)]
    if not said or not true:
        return
    apart = [levenshtein(said.lower(), truth.lower()) / max(len(said), len(truth)) for truth in true]
    anls = max(1 - share if share < 0.5 else 0.0 for share in apart)
    cer = min(levenshtein(said, truth) / len(truth) for truth in true)
    found = score_reply("anls", truths, reply)
    assert found.value == pytest.approx(anls) and found.details["cer"] == pytest.approx(cer)
    assert score_reply("cer", truths, reply).value == pytest.approx(max(0, 1 - cer))
    assert (found.value == 1) == (said.lower() in [truth.lower() for truth in true])


labels = st.lists(st.sampled_from(["cat", "dog", "red car", "猫"]), min_size=1, max_size=6)


@settings(max_examples=200, deadline=None)
@given(labels, labels)
def test_f1_of_labels_is_that_of_scikit_learn(reply: list[str], truth: list[str]) -> None:
    """A multiset as 0 and 1: the first cat, the second cat…"""
    kinds = sorted({*reply, *truth})
    places = [(kind, k) for kind in kinds for k in range(6)]
    said, true = Counter(reply), Counter(truth)
    expected = sklearn_metrics.f1_score([true[kind] > k for kind, k in places], [said[kind] > k for kind, k in places])
    for text in (", ".join(reply), "\n".join(f"- {one.upper()}" for one in reply), "、".join(reply)):
        assert score_reply("f1", truth, text).value == pytest.approx(expected)
    assert (score_reply("f1", truth, ", ".join(reply)).value == 1) == (sorted(reply) == sorted(truth))


@pytest.mark.parametrize(
    ("target", "reply", "score"),
    [
        (["a cat", "dog"], '["dog", "A cat"]', 1),
        (["cat", "dog"], "The objects are:\n* cat\n* **dog**.", 1),
        (["cat", "dog", "cow"], "cat, dog, and cow", 1),
        (["cat", "dog"], "Answer: dog; cat", 1),
        ("the red fox", "fox the red", 1),
        ("the red fox", "a red fox", 2 / 3),
        ("红色汽车", "红色的车", 0.75),
        (["2.5 m", "3 m"], "3 m, 2.5 m", 1),
        ([], "none", 1),
        ([], "cat", 0),
        (["cat"], "none", 0),
    ],
)
def test_how_labels_are_read(target: object, reply: str, score: float) -> None:
    assert score_reply("f1", target, reply).value == pytest.approx(score)


@pytest.mark.parametrize(
    ("target", "reply", "holds"),
    [
        *(
            ("1", text, False)
            for text in ["10", "21", "1.5", "0.1", "1,000", "1/2", "-1", "x1", "1st", "is -1", "2,1.5"]
        ),
        *(("1", text, True) for text in ["1", "1.", "(1)", "1, 2", "3-1", "共1个", "1%", "a 1 b"]),
        *(("no", text, False) for text in ["north", "piano", "know", "nо"]),
        *(("no", text, True) for text in ["No.", "no way", "Oh NO!", "yes/no", "不no不"]),
        *(("000", text, False) for text in ["1,000", "5000"]),
        *((["sofa", "red couch"], text, held) for text, held in [("a red  couch", True), ("a couch", False)]),
        *(("3.5", text, held) for text, held in [("3.5 m", True), ("13.5", False), ("3.57", False), ("3.5.1", False)]),
        *(("港口", text, held) for text, held in [("这是港口。", True), ("港", False)]),
        *(("-5", text, held) for text, held in [("-5", True), ("at -5 °C", True), ("3-5", False), ("-5.5", False)]),
        *(("c++", text, held) for text, held in [("in C++!", True), ("in c", False)]),
    ],
)
def test_whole_words_and_numbers(target: object, reply: str, holds: bool) -> None:
    assert score_reply("contains", target, reply).value == holds


def bleu_by_hand(reply: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """From the definition: clipped counts by enumeration, zero counts become 0.1."""
    precisions = []
    for order in (1, 2, 3, 4):
        grams = [tuple(reply[k : k + order]) for k in range(len(reply) - order + 1)]
        clipped = 0
        for gram in set(grams):
            most = max(sum(tuple(one[k : k + order]) == gram for k in range(len(one))) for one in references)
            clipped += min(grams.count(gram), most)
        if order == 1 and not clipped:
            return 0.0
        precisions.append((clipped if clipped else 0.1) / max(len(grams), 1))
    closest = sorted(references, key=lambda one: (abs(len(one) - len(reply)), len(one)))[0]
    penalty = 1.0 if len(reply) > len(closest) else math.exp(1 - len(closest) / len(reply))
    return float(penalty * math.prod(precisions) ** 0.25)


sentences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9)


@settings(max_examples=200, deadline=None)
@given(sentences, st.lists(sentences, min_size=1, max_size=3))
def test_sentence_bleu_by_its_definition(reply: list[str], references: list[list[str]]) -> None:
    assert sentence_bleu(reply, references) == pytest.approx(bleu_by_hand(reply, references))
    found = score_reply("bleu", [" ".join(one) for one in references], " ".join(reply))
    assert (found.value == 1) == (reply in references)


OFFICIAL = {
    "The Dog.": "dog",
    "two": "2",
    "none": "0",
    "a  man, and an apple": "man and apple",
    "dont": "don't",
    "1,000": "1000",
    "red/blue": "red blue",
    "red / blue": "red blue",
    "1.5": "1.5",
    "yes!": "yes",
    "Im": "im",
    "t-shirt": "t shirt",
    "t - shirt": "t shirt",
    "its": "its",
    "oclock": "o'clock",
    "hadnt've": "hadn't've",
    "U.S.": "us",
    "wont": "won't",
    "10:30": "10:30",
    "(left)": "left",
    "ten": "10",
    "1,000 red-hot": "1000 redhot",
}


@pytest.mark.parametrize(("answer", "expected"), OFFICIAL.items())
def test_vqa_answers_are_normalised(answer: str, expected: str) -> None:
    assert normalize_answer(answer) == expected


def vqa_by_hand(reply: str, answers: Sequence[str]) -> float:
    """Leave each person out, one after the other; punctuation and articles by regular expressions."""

    def clean(text: str) -> str:
        out = text
        for sign in re.findall(r"[;/\[\]\"{}()=+\\_\-><@`,?!]", text):
            lone = re.search(rf"{re.escape(sign)} | {re.escape(sign)}|\d,\d", text)
            out = out.replace(sign, "" if lone else " ")
        out = re.sub(r"\.(?!\d)", "", out).lower()
        words = {"zero": "0", "none": "0", "one": "1", "two": "2", "three": "3"}
        return " ".join(words.get(word, word) for word in out.split() if word not in ("a", "an", "the"))

    said, given_answers = clean(reply), [clean(answer) for answer in answers]
    shares = []
    for left_out in range(len(answers)):
        others = [answer for place, answer in enumerate(given_answers) if place != left_out]
        shares.append(min(1.0, others.count(said) / 3))
    return sum(shares) / len(shares)


answers = st.sampled_from(
    ["yes", "no", "Two", "2", "two.", "the dog", "dog", "a dog!", "red-blue", "red blue", "1,000", "1000"]
)


@settings(max_examples=300, deadline=None)
@given(answers, st.lists(answers, min_size=10, max_size=10))
def test_vqa_accuracy_leaves_one_out(reply: str, given_answers: list[str]) -> None:
    assert score_reply("vqa_accuracy", given_answers, reply).value == pytest.approx(vqa_by_hand(reply, given_answers))


@pytest.mark.parametrize(("matching", "score"), [(0, 0), (1, 0.3), (2, 0.6), (3, 0.9), (4, 1), (10, 1)])
def test_vqa_accuracy_by_count(matching: int, score: float) -> None:
    assert score_reply("vqa_accuracy", ["x"] * matching + ["y"] * (10 - matching), "x").value == pytest.approx(score)

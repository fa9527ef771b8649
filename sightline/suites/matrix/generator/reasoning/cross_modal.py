"""Does a text fit a picture: one sentence, two pictures, four texts of two facts, one wrong sentence of four."""

from __future__ import annotations

from sightline.suites.matrix.generator.item import Item, shuffle_options
from sightline.suites.matrix.generator.reasoning.claim_scenes import SCENE_KINDS
from sightline.suites.matrix.generator.reasoning.claims import (
    Claim,
    Facts,
    SceneKind,
    Topic,
    find_scene,
    find_two_scenes,
    random_claim,
)
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

_MATCH = {
    "en": (
        "Does this sentence fit the picture? “{text}.”",
        "Is it true for the picture that {text}?",
        "Somebody says about the picture: “{text}.” Is that right?",
    ),
    "zh": ("这句话与图相符吗？“{text}。”", "根据图片，“{text}”是否正确？", "有人这样描述这幅图：“{text}。”对吗？"),
}
_WHICH = {
    "en": (
        "Two pictures are given. For which of them is this true: “{text}”?",
        "Compare both pictures with the text “{text}.” Which of them does it fit?",
    ),
    "zh": ("给出两幅图。下面的话对哪幅图成立：“{text}”？", "把两幅图与这段文字对照：“{text}。”它与哪幅图相符？"),
}
_FOUR = {
    "en": (
        "Which text fits the picture in both of its statements?",
        "Only one of the texts is right about the picture in all it says. Which one?",
        "Choose the text that agrees with the picture.",
    ),
    "zh": ("哪段文字的两个说法都与图相符？", "只有一段文字完全符合图片，是哪一段？", "请选出与图片一致的文字。"),
}
_WRONG = {
    "en": (
        "A report on the picture says: {text} One of the numbered sentences contradicts the picture. Which one?",
        "Check the sentences against the picture: {text} Exactly one is wrong. Which?",
    ),
    "zh": (
        "关于这幅图的报告说：{text}其中有一句与图矛盾，是哪一句？",
        "请对照图片检查这些句子：{text}恰有一句是错的，是哪一句？",
    ),
}
_YES = {"en": ("Yes", "No"), "zh": ("是", "否")}
_PICTURES = {
    "en": {(True, False): "only the first", (False, True): "only the second", (True, True): "both",
           (False, False): "neither"},
    "zh": {(True, False): "只有第一幅", (False, True): "只有第二幅", (True, True): "两幅都符合",
           (False, False): "两幅都不符合"},
}  # fmt: skip


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return {"l1": _single_sentence, "l2": _two_pictures, "l3": _two_facts, "l4": _report}[level](rng, language)


def _random_subject(rng: SampleRng) -> tuple[SceneKind, Facts, list[Topic]]:
    """A sort of scene, its vocabulary, and its topics in any order."""
    subject = rng.balanced_choice("subject", SCENE_KINDS)
    words = subject.vocabulary(rng)
    return subject, words, rng.shuffled(subject.topics(rng, words))


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _make_item(
    question: str, shown: tuple[str, ...], right: str, pictures: tuple[bytes, ...], facts: dict[str, object]
) -> Item:
    return Item(
        question=question,
        ground_truth=right,
        metric="accuracy",
        pictures=pictures,
        options=shown,
        metadata={"ideal": right, "scene": facts},
    )


def _single_sentence(rng: SampleRng, language: str) -> Item:
    subject, words, topics = _random_subject(rng)
    said = random_claim(rng, subject, words, topics[0])
    fits = rng.balanced_choice("fits", (True, False))
    scene = find_scene(rng, subject, words, said, fits)
    wording = rng.pick(_MATCH[language])
    text = said.says(language)
    question = wording.format(text=text if "true for" in wording else _sentence(text))
    yes, no = _YES[language]
    return _make_item(question, (yes, no), yes if fits else no, (subject.draw(rng, scene),), scene)


def _two_pictures(rng: SampleRng, language: str) -> Item:
    """The claim holds or not for each of two pictures."""
    wanted = rng.balanced_choice("fits", ((True, False), (False, True), (True, True), (False, False)))
    subject, words, topics = _random_subject(rng)
    said = random_claim(rng, subject, words, topics[0])
    scenes = [find_scene(rng, subject, words, said, fits) for fits in wanted]
    names = _PICTURES[language]
    question = fill_wording(rng, _WHICH, language, text=_sentence(said.says(language)))
    pictures = tuple(subject.draw(rng, scene) for scene in scenes)
    return _make_item(
        question, tuple(names.values()), names[wanted], pictures, {"first": scenes[0], "second": scenes[1]}
    )


def _two_facts(rng: SampleRng, language: str) -> Item:
    """All four ways to have two facts right or wrong: no text is the middle of the others."""
    subject, words, topics = _random_subject(rng)
    question = (topics[0], topics[1])
    scene, other = find_two_scenes(rng, subject, words, question)
    right, wrong = ([Claim(topic=topic, value=topic.read(facts)) for topic in question] for facts in (scene, other))
    fits = _sentence(_join_claims((right[0], right[1]), language))
    pairs = ((right[0], wrong[1]), (wrong[0], right[1]), (wrong[0], wrong[1]))
    others = [_sentence(_join_claims(pair, language)) for pair in pairs]
    shown = shuffle_options(rng, fits, others)
    return _make_item(fill_wording(rng, _FOUR, language), shown, fits, (subject.draw(rng, scene),), scene)


def _join_claims(pair: tuple[Claim, Claim], language: str) -> str:
    return ("，并且" if language == "zh" else ", and ").join(said.says(language) for said in pair)


def _report(rng: SampleRng, language: str) -> Item:
    """Four claims of which one fails: its value comes from another scene."""
    subject, words, topics = _random_subject(rng)
    wrong = rng.balanced_choice("wrong", (0, 1, 2, 3))
    while True:
        scene = subject.scene(rng, words)
        if all(topic.read(scene) is not None for topic in topics):
            break
    claims = [Claim(topic=topic, value=topic.read(scene)) for topic in topics]
    claims[wrong] = random_claim(rng, subject, words, topics[wrong], unlike=claims[wrong].value)
    zh = language == "zh"
    text = "".join(f"({k}) {_sentence(said.says(language))}{'。' if zh else '. '}" for k, said in enumerate(claims, 1))
    names = tuple(f"第 {k} 句" if zh else f"sentence {k}" for k in range(1, 5))
    question = fill_wording(rng, _WRONG, language, text=text.strip())
    return _make_item(question, names, names[wrong], (subject.draw(rng, scene),), scene)

"""Claims about pictures: what can be read from a scene, and how it is said.

A claim's value is taken from a scene that is not shown, and scenes are made until the claim holds or fails for one as
wanted: so the text alone never tells which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.sample_rng import SampleRng

Facts = dict[str, Any]
"""A scene as plain JSON."""
_POOL = 300


class Topic(Struct, frozen=True, kw_only=True):
    """One thing that can be read from any scene of a vocabulary; None where a scene doesn't tell."""

    read: Callable[[Facts], Any]
    words: Callable[[Any, str], str]
    """The claim for a value in a language: a sentence without capital and full stop."""


class SceneKind(Struct, frozen=True, kw_only=True):
    """A sort of scene. Scenes of the same vocabulary (colours, letters…) can be compared."""

    vocabulary: Callable[[SampleRng], Facts]
    scene: Callable[[SampleRng, Facts], Facts]
    topics: Callable[[SampleRng, Facts], list[Topic]]
    draw: Callable[[SampleRng, Facts], bytes]


class Claim(Struct, frozen=True, kw_only=True):
    """A topic with a value, which a scene may have or not."""

    topic: Topic
    value: Any

    def holds(self, scene: Facts) -> bool:
        """Whether the scene is so."""
        return bool(self.topic.read(scene) == self.value)

    def says(self, language: str) -> str:
        """In words."""
        return self.topic.words(self.value, language)


def random_claim(rng: SampleRng, subject: SceneKind, words: Facts, topic: Topic, unlike: Any = None) -> Claim:
    """A claim that would hold in some scene; `unlike` is a value that it must not have."""
    while True:
        value = topic.read(subject.scene(rng, words))
        if value is not None and value != unlike:
            return Claim(topic=topic, value=value)


def find_scene(rng: SampleRng, subject: SceneKind, words: Facts, said: Claim, holds: bool) -> Facts:
    """Find a scene for which the claim is true or false as requested, and decidable."""
    while True:
        scene = subject.scene(rng, words)
        if said.holds(scene) == holds and said.topic.read(scene) is not None:
            return scene


def find_two_scenes(
    rng: SampleRng, subject: SceneKind, words: Facts, topics: tuple[Topic, Topic]
) -> tuple[Facts, Facts]:
    """Two scenes that differ in both topics, such that each mixture of their values could be true as well.

    Else a reader without the picture could rule some of the mixtures out.
    """
    first, second = topics
    while True:
        pool = [subject.scene(rng, words) for _ in range(_POOL)]
        values = [(first.read(scene), second.read(scene)) for scene in pool]
        known = {pair for pair in values if None not in pair}
        for (a, b), (c, d), one, other in zip(values, values[1:], pool, pool[1:], strict=False):
            if a != c and b != d and {(a, b), (c, d), (a, d), (c, b)} <= known:
                return one, other

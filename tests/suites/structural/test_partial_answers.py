"""One slip does not cost everything: what can be read is graded, the rest is named, and less never earns more."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from sightline.core.records import Grade, Parsed, Sample
from sightline.core.registry import load_suite
from sightline.suites.structural.framecalc.reader import read_answer, read_model
from sightline.suites.structural.framecalc.writer import write_model
from sightline.suites.structural.model import Model
from sightline.suites.structural.physics.diagnosis import Diagnosis, UnreadableModel, diagnose_raw
from sightline.suites.structural.scorer import score_reply
from sightline.suites.structural.services import sample_from_truth
from tests.suites.structural.test_mutations import category
from tests.suites.structural.test_mutations import truths as truths
from tests.support.framecalc import beam, changed

Truths = list[tuple[str, Model]]

SLIPS: dict[str, tuple[dict[str, Any], float, str]] = {
    "an offset beyond the member": (
        changed("loads.0", {"id": "LD1", "kind": "pointLoad", "at": "L1", "offset": 9, "value": 10, "angleDeg": 270}),
        0.75,
        "loads LD1: 9 m is beyond the link of 4 m",
    ),
    "a value as a symbol": (changed("loads.0.value", "P"), 0.75, "loads LD1: value 'P' is not a number"),
    "flip 0": (changed("loads.1.flip", 0), 0.75, "loads LD2: flip is 0 and must be 1 or -1"),
    "flip true": (changed("loads.2.flip", True), 0.75, "loads LD3: flip 'true' is not a number"),
    "a line load on a point": (
        changed("loads.1.at", {"type": "point", "id": "P1"}),
        0.75,
        "loads LD2: a distributed load lies on a link",
    ),
    "an unknown load": (changed("loads.0.kind", "selfWeight"), 0.75, "loads LD1: kind 'selfWeight' is unknown"),
    "a load that is no object": (changed("loads.0", "10 kN"), 0.75, "loads #1: '10 kN' is not an object"),
    "loads as a word": (changed("loads", "none"), 0.75, "the model has no list of loads"),
    "a load in the air": (
        {**changed("loads.0.at", "P9"), "points": [*beam()["points"], {"id": "P9", "x": 9, "y": 9}]},
        0.75,
        "loads LD1: acts on point P9, which no link reaches",
    ),
    "an unknown end": (changed("links.0.endA", "semi"), 0.5, "links L1: endA 'semi' is unknown"),
    "a stiffness as another symbol": (changed("links.0.E", "2E"), 0.5, "links L1: E '2E' is not a number"),
    "an unknown support": (changed("supports.1.kind", "spring"), 0.25, "supports S2: kind 'spring' is unknown"),
    "a support on a link": (
        changed("supports.1.at", {"type": "link", "id": "L1"}),
        0.25,
        "supports S2: a support stands on a point, not on a link",
    ),
    "a link to nowhere": (changed("links.1.b", "P8"), 0.0, "links L2: b names a point that is not there: 'P8'"),
    "a symbolic coordinate": (changed("points.2.x", "l"), 0.0, "points P3: x 'l' is not a number"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_costs_no_more_than_its_part(name: str) -> None:
    raw, score, reason = SLIPS[name]
    found = diagnose_raw(raw, beam(), "beam")
    assert isinstance(found, Diagnosis)
    assert found.score == score
    assert str(found.problems[0].remark) == f"left out because it can't be read: {reason}"
    assert read_model(raw).model is None, "a true model must be readable as a whole"


def test_a_part_that_is_not_in_the_drawing_and_cannot_be_read_is_wrong_all_the_same() -> None:
    for key, extra, score in (
        ("loads", {"id": "X", "kind": "pointLoad", "at": "P2", "value": "P", "angleDeg": 270}, 0.75),
        ("supports", {"id": "X", "at": "P3", "kind": "?"}, 0.25),
        ("links", {"id": "X", "a": "P1", "b": "nowhere"}, 0.0),
        ("points", {"id": "X", "x": "?", "y": 0}, 1.0),
    ):
        found = diagnose_raw({**beam(), key: [*beam()[key], extra]}, beam(), "beam")
        assert isinstance(found, Diagnosis) and found.score == score, key
        assert bool(found.problems) == (score < 1)


def test_a_common_symbol_for_the_stiffness_has_no_influence() -> None:
    raw = beam()
    for link in raw["links"]:
        link.update(E="E", A="A", Iz="I")
    found = diagnose_raw(raw, beam(), "beam")
    assert isinstance(found, Diagnosis) and found.score == 1


def test_nothing_left_to_grade_is_unreadable_with_its_first_cause() -> None:
    raw = changed("points", [{"id": "P1", "x": "a", "y": 0}])
    found = diagnose_raw(raw, beam(), "beam")
    assert isinstance(found, UnreadableModel)
    assert str(found.reason) == "points P1: x 'a' is not a number"


def remove_part(raw: dict[str, Any], chance: random.Random) -> dict[str, Any] | None:
    """The answer without one of its parts or fields; None where nothing is left to remove."""
    smaller = copy.deepcopy(raw)
    name = chance.choice([key for key in ("loads", "supports", "links", "points") if smaller.get(key)] or [""])
    if not name:
        return None
    entries = smaller[name]
    k = chance.randrange(len(entries))
    ways = ["entry", "field", "hinge"] if name == "links" else ["entry", "field"]
    match chance.choice(ways):
        case "field":
            # what has a default that may be right by chance is no part by itself
            fields = [key for key in entries[k] if key in ("a", "b", "x", "y", "kind", "at", "value", "wStart")]
            if not fields:
                del entries[k]
            else:
                del entries[k][chance.choice(fields)]
        case "hinge":
            entries[k]["endA"] = entries[k]["endB"] = "rigid"
        case _:
            del entries[k]
    return smaller


def score_of(raw: dict[str, Any], name: str, truth: Model) -> tuple[float, bool]:
    found = diagnose_raw(raw, write_model(truth), category(name, truth))
    return (0.0, True) if isinstance(found, UnreadableModel) else (found.score, bool(found.problems))


def check_removals(truths: Truths, count: int, seed: int) -> int:
    """Remove part after part from right answers: no score may rise, and every score below 1 has a named problem."""
    chance, removals = random.Random(seed), 0
    while removals < count:
        for name, truth in truths:
            raw: dict[str, Any] | None = write_model(truth)
            assert raw is not None
            before, _ = score_of(raw, name, truth)
            assert before == 1
            for _ in range(4):
                raw = remove_part(raw, chance)
                if raw is None:
                    break
                removals += 1
                score, named = score_of(raw, name, truth)
                assert score <= before, (name, score, before, json.dumps(raw))
                assert named or score == 1, (name, json.dumps(raw))
                before = score
    return removals


def test_less_never_earns_more(truths: Truths) -> None:
    assert check_removals(truths, 250, seed=1) >= 250


@pytest.mark.slow
def test_less_never_earns_more_in_two_thousand_removals(truths: Truths) -> None:
    assert check_removals(truths, 2000, seed=2) >= 2000


# --- feedback


def feedback(raw: object, language: str = "en") -> str:
    sample = sample_from_truth(beam())
    suite = load_suite("structural", prompt_lang=language)
    score = score_reply(sample, Parsed(raw), "physics", 0.01)
    grade = Grade(
        sample="x",
        task="beam",
        status="answered",
        score=score.value or 0.0,
        values=score.details,
        message=score.message,
    )
    return str(suite.feedback(Sample(id="x", task="beam", question="", target=beam()), grade))


def test_feedback_tells_why_a_reply_is_unreadable_or_a_mechanism() -> None:
    assert "- the list of points is empty" in feedback({"points": [], "links": []})
    assert "- points P3：x“a”不是数字" in feedback(changed("points", [{"id": "P3", "x": "a", "y": 0}]), "zh")
    moving = feedback({**beam(), "supports": beam()["supports"][:1]})
    assert "mechanism" in moving and "P" in moving
    assert "loads LD1: value 'P' is not a number" in feedback(changed("loads.0.value", "P"))


def test_feedback_never_tells_the_answer() -> None:
    text = feedback(changed("loads.0.value", 33))
    assert "10" not in text and "33" not in text


def test_answers_keep_what_can_be_read() -> None:
    reading = read_answer(changed("loads.0.value", "P"))
    assert reading.model is not None
    assert [load.id for load in reading.model.loads] == ["LD2", "LD3"]
    assert [row.part for row in reading.left_out] == ["loads"]

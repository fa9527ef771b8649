"""A whole set of computed simulations, as a user gets it: even answers, opposed pairs, the same bytes again."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from sightline import evaluate, generate
from sightline.suites.simulation.generator.plan import COMPUTED_DOMAINS, DomainKinds, plan_cases
from sightline.suites.simulation.scorer import logical_pair, physical_law

pytestmark = pytest.mark.slow
pytest.importorskip("skfem")


def pairs(domain: DomainKinds) -> dict[str, list[str]]:
    """The questions of each pair."""
    found: dict[str, list[str]] = defaultdict(list)
    for question in domain.questions:
        if (pair := logical_pair(domain.name, question.text)) is not None:
            found[pair[0]].append(question.qid)
    return found


def test_forty_cases_favour_no_answer_and_oppose_all_pairs() -> None:
    told: dict[str, Counter[bool]] = defaultdict(Counter)
    kinds: Counter[str] = Counter()
    for domain, case in plan_cases(40, 7, COMPUTED_DOMAINS):
        kinds[case.kind] += 1
        for qid, answer in case.answers.items():
            told[qid][answer] += 1
        for name, (one, other) in pairs(domain).items():
            assert case.answers[one] != case.answers[other], f"{case.kind}: {name}"
    total = sum(told.values(), Counter[bool]())
    assert 0.45 <= total[True] / total.total() <= 0.55
    assert all(len(counts) == 2 for counts in told.values()), "a question with one answer only"
    assert len(kinds) == 17
    for domain in COMPUTED_DOMAINS:
        laws = {physical_law(question.text) for question in domain.questions} - {""}
        assert {"boundary conditions", "convergence"} < laws
        assert len(pairs(domain)) >= 2 and all(len(both) == 2 for both in pairs(domain).values())


def test_a_set_is_the_same_again_and_can_be_run_as_it_is(tmp_path: Path) -> None:
    for name in ("one", "again"):
        generate("simulation", tmp_path / name, count=4, seed=11)
    one, again = ({p.relative_to(tmp_path / n): p for p in (tmp_path / n).rglob("*.*")} for n in ("one", "again"))
    assert one.keys() == again.keys()
    assert {path.suffix for path in one} == {".json", ".png", ".gif", ".mp4", ".txt"}
    for path in one:
        digests = {hashlib.sha256(place[path].read_bytes()).hexdigest() for place in (one, again)}
        assert len(digests) == 1, path
    right = evaluate(
        "simulation",
        model="baseline/oracle",
        data=str(tmp_path / "one"),
        modality="all",
        output_dir=str(tmp_path / "r"),
    )
    assert right.summary.score is not None and right.summary.score.value == 1.0
    ceiling = [row for row in right.summary.rows if row.metric == "key_opposed_pairs" and row.scope == "overall"]
    assert [row.estimate.value for row in ceiling] == [1.0]

"""Task networks with other durations, and circuits with switches opened."""

from __future__ import annotations

from msgspec.structs import replace

from sightline.suites.matrix.generator.reasoning import circuits
from sightline.suites.matrix.generator.reasoning.change import CounterfactualQuestion
from sightline.suites.matrix.generator.reasoning.circuits import PAIRS, Group, parallel_resistance
from sightline.suites.matrix.generator.reasoning.plans import (
    draw_network,
    network_facts,
    network_legend,
    random_network,
)
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

_DELAYS = {
    "en": (
        "If {a} took {m} days more and {b} only half of its days, after how many days would all tasks be done? Answer "
        "with a number.",
        "Suppose that {a} needs {m} days longer than drawn while {b} is done in half the time. How many days would the "
        "whole work take? Give a number.",
    ),
    "zh": (
        "如果任务{a}多用{m}天，而任务{b}只需原来一半的天数，那么多少天后全部任务完成？请回答一个数。",
        "假设任务{a}比图中多需{m}天，而任务{b}用一半的时间就完成，全部工作需要多少天？只需给出数字。",
    ),
}
_OPENED = {
    "en": (
        "All switches in the circuit are closed. If {s} were opened, what would the voltage over {r} be in "
        "volts? Answer "
        "with a number.",
        "The switches S1 and S2 are drawn closed. Suppose {s} is opened: how many volts are there over {r} then? "
        "Give a "
        "number.",
    ),
    "zh": (
        "电路中的所有开关都是闭合的。如果断开{s}，{r}两端的电压会是多少伏？请回答一个数。",
        "图中开关 S1 和 S2 都是闭合的。假设断开{s}，这时{r}两端的电压是多少伏？只需给出数字。",
    ),
}


def delays(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """One task takes longer, another only half of its time; both matter."""
    while True:
        plan = random_network(rng)
        even = [task for task, days in plan.days.items() if days % 2 == 0]
        if not even:
            continue
        a, b = rng.pick(list(plan.days)), rng.pick(even)
        more = rng.whole(2, 9)
        days = {**plan.days, a: plan.days[a] + more}
        one = max(replace(plan, days=days).ends().values())
        days[b] = days[b] // 2
        found = max(replace(plan, days=days).ends().values())
        first = max(plan.ends().values())
        if a != b and first != one != found != first:
            break
    gap = "" if language == "zh" else " "
    return CounterfactualQuestion(
        instruction=network_legend(rng, language) + gap + fill_wording(rng, _DELAYS, language, a=a, b=b, m=more),
        answer=found,
        pictures=(draw_network(rng, plan),),
        scene={**network_facts(plan), "longer": [a, more], "half": b},
    )


def opened(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """A pair in parallel loses one of its two resistors."""
    pairs: list[Group] = [tuple(rng.shuffled(pair)) for pair in rng.some(PAIRS, 2)]
    groups = rng.shuffled([*pairs, (rng.whole(2, 30),)])
    doubles = [k for k, group in enumerate(groups) if len(group) == 2]
    switch = rng.whole(0, 1)
    cut = doubles[switch]
    left = [group[:1] if k == cut else group for k, group in enumerate(groups)]
    amperes = rng.whole(1, 9)
    volts = amperes * round(sum(parallel_resistance(group) for group in left))
    over = rng.whole(0, len(groups) - 1)
    label = circuits.resistor_names(groups)[over][0]
    return CounterfactualQuestion(
        instruction=fill_wording(rng, _OPENED, language, s=f"S{switch + 1}", r=label),
        answer=amperes * round(parallel_resistance(left[over])),
        pictures=(circuits.draw_circuit(rng, groups, volts, doubles),),
        scene={"type": "circuit", "groups": groups, "volts": volts, "opened": cut, "over": over},
    )

"""Schedules: Gantt charts, and task networks with dependencies (critical path)."""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.matrix.generator.canvas import XY
from sightline.suites.matrix.generator.diagrams import contrasting_colour, draw_table_picture, new_canvas, random_style
from sightline.suites.matrix.generator.item import Item, counterfactual_item, steps_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, join_sentences, load_texts

_TEXTS = load_texts(__name__)


def bars_and_rates(rng: SampleRng, language: str) -> Item:
    """Make a sample: the cost of three tasks."""
    letters = sorted(rng.some("ABCDEFGHKLMN", 6))
    bars = {letter: (start := rng.whole(0, 8), start + rng.whole(2, 7)) for letter in letters}
    wages = {letter: rng.whole(3, 30) * 10 for letter in letters}
    style = random_style(rng)
    canvas = new_canvas(style, 640, 90 + 44 * len(letters))
    left, step = 70.0, 34.0
    for day in range(17):
        x = left + step * day
        canvas.line([(x, 50), (x, 66 + 44 * len(letters))], "#c0c7d0", 1.0)
        if day < 16:
            canvas.text((x + step / 2, 34), str(day + 1), style.text_style(15))
    for k, letter in enumerate(letters):
        y = 58 + 44 * k
        canvas.text((36, y + 17), letter, style.text_style(20))
        start, end = bars[letter]
        canvas.rounded((left + step * start, y + 3, left + step * end, y + 31), 4, style.hues[k % 8])
    head = ("任务", "每天费用") if language == "zh" else ("task", "cost a day")
    listed = draw_table_picture(rng, [head, *((letter, str(wages[letter])) for letter in rng.shuffled(letters))])
    chosen = rng.some(letters, 3)
    costs = tuple((bars[letter][1] - bars[letter][0]) * wages[letter] for letter in chosen)
    zh = language == "zh"
    return steps_item(
        rng,
        language,
        instruction=fill_wording(rng, _TEXTS["bars"], language),
        step_names=tuple(f"任务{letter}的总费用" if zh else f"cost of task {letter}" for letter in chosen),
        end="这三项任务费用之和" if zh else "the cost of these three tasks together",
        steps=costs,
        final=sum(costs),
        pictures=(canvas.png(), listed),
        scene={"type": "bars", "bars": bars, "wages": wages, "asked": chosen},
    )


class Network(Struct, frozen=True, kw_only=True):
    """Tasks in columns; `after` holds for each the tasks that it waits for."""

    days: dict[str, int]
    after: dict[str, tuple[str, ...]]
    columns: tuple[tuple[str, ...], ...]

    def ends(self) -> dict[str, int]:
        """When each task is done."""
        finish: dict[str, int] = {}
        for column in self.columns:
            for task in column:
                finish[task] = self.days[task] + max((finish[other] for other in self.after[task]), default=0)
        return finish


def random_network(rng: SampleRng) -> Network:
    """Two or three tasks a column, each waiting for one or two of the column before."""
    sizes = rng.pick(((2, 3, 2, 1), (3, 2, 3, 1), (2, 2, 2, 2, 1)))
    letters = rng.some("ABCDEFGHKLMNPRST", sum(sizes))
    columns: list[tuple[str, ...]] = []
    for size in sizes:
        columns.append(tuple(letters[:size]))
        letters = letters[size:]
    after: dict[str, tuple[str, ...]] = dict.fromkeys(columns[0], ())
    for before, column in pairwise(columns):
        waiting = {task: {rng.pick(before)} for task in column}
        # whatever has no arrow away from it yet is waited for by somebody
        for task in before:
            if all(task not in others for others in waiting.values()):
                waiting[rng.pick(column)].add(task)
        if len(column) == 1:
            waiting[column[0]] = set(before)
        after |= {task: tuple(sorted(others)) for task, others in waiting.items()}
    days = {task: rng.whole(2, 19) for column in columns for task in column}
    return Network(days=days, after=after, columns=tuple(columns))


def draw_network(rng: SampleRng, network: Network) -> bytes:
    """Boxes with arrows, from left to right."""
    style = random_style(rng)
    width, height = 150.0, 110.0
    most = max(len(column) for column in network.columns)
    canvas = new_canvas(style, width * len(network.columns) + 10, height * most + 20)
    at: dict[str, XY] = {}
    for k, column in enumerate(network.columns):
        for row, task in enumerate(column):
            at[task] = (80 + width * k, 10 + height * (row + 0.5 + (most - len(column)) / 2))
    for task, others in network.after.items():
        for other in others:
            (x0, y0), (x1, y1) = at[other], at[task]
            canvas.arrow((x0 + 42, y0), (x1 - 44, y1), "#555555", 2.2, 13)
    for k, column in enumerate(network.columns):
        for task in column:
            x, y = at[task]
            canvas.rounded((x - 42, y - 28, x + 42, y + 28), 8, style.hues[k % 8])
            canvas.text(
                (x, y), f"{task}: {network.days[task]}", style.text_style(20, contrasting_colour(style.hues[k % 8]))
            )
    return canvas.png()


def network_facts(network: Network) -> dict[str, object]:
    """The tasks as plain JSON."""
    return {
        "type": "network",
        "days": network.days,
        "after": {task: list(o) for task, o in network.after.items()},
    }


def finish_days(rng: SampleRng, language: str) -> Item:
    """Make a sample: when four tasks are done, and when all is."""
    while True:
        plan = random_network(rng)
        ends = plan.ends()
        later = [task for column in plan.columns[1:-1] for task in column]
        if len(set(ends.values())) == len(ends) and len(later) >= 4:
            break
    chosen = rng.some(later, 4)
    zh = language == "zh"
    return steps_item(
        rng,
        language,
        instruction=fill_wording(rng, _TEXTS["network"], language),
        step_names=tuple(f"任务{task}完成时的天数" if zh else f"day on which task {task} is done" for task in chosen),
        end="全部任务完成时的天数" if zh else "the number of days after which all tasks are done",
        steps=tuple(ends[task] for task in chosen),
        final=max(ends.values()),
        pictures=(draw_network(rng, plan),),
        scene={**network_facts(plan), "asked": chosen},
    )


def changed_durations(rng: SampleRng, language: str) -> Item:
    """Make a sample: one task takes longer, another only half of its time; both matter."""
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
        answer = max(replace(plan, days=days).ends().values())
        first = max(plan.ends().values())
        if a != b and first != one != answer != first:
            break
    legend = fill_wording(rng, _TEXTS["network"], language)
    change = fill_wording(rng, _TEXTS["changed_durations"], language, a=a, b=b, m=more)
    return counterfactual_item(
        instruction=join_sentences(language, legend, change),
        answer=answer,
        pictures=(draw_network(rng, plan),),
        scene={**network_facts(plan), "longer": [a, more], "half": b},
    )

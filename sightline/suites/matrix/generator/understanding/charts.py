"""Charts before they are drawn: random data with values that can be read off the ticks."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import load_texts, random_word

_TEXTS = load_texts(__name__)

SINGLE = ("bar", "barh", "line", "area", "lollipop", "scatter", "polar", "histogram", "box")
PRINTED = ("pie", "donut")
"""Charts with values beside the slices."""
SEVERAL = ("grouped", "stacked", "lines", "heat")
KINDS = SINGLE + PRINTED + SEVERAL
_COARSE = ("polar", "stacked", "box", "barh")
"""Kinds on which half a tick is hard to see."""
_COUNTED = ("persons", "pieces", "人", "件")
"""Units that have no parts."""


class Axis(Struct, frozen=True, kw_only=True):
    """Ticks from zero up."""

    major: float
    count: int
    """Of numbers above zero."""
    parts: int
    """Ticks from one number to the next."""

    @property
    def top(self) -> float:
        """The end."""
        return self.major * self.count

    @property
    def minor(self) -> float:
        """From one tick to the next."""
        return self.major / self.parts


class Chart(Struct, frozen=True, kw_only=True):
    """A table and how it is to be shown."""

    kind: str
    topic: str
    unit: str
    axis: Axis
    table: dict[str, dict[str, float]]
    """Series, label, value."""

    @property
    def labels(self) -> list[str]:
        """Names along the chart."""
        return list(next(iter(self.table.values())))

    @property
    def single(self) -> bool:
        """Whether it has one series."""
        return len(self.table) == 1

    def cells(self) -> list[tuple[str, str, float]]:
        """All values with their places."""
        return [(series, label, value) for series, row in self.table.items() for label, value in row.items()]


def random_chart(rng: SampleRng, kind: str, language: str) -> Chart:
    """Made-up figures of an order of magnitude of their own."""
    axis = _random_axis(rng)
    whole = (axis.minor / 2).is_integer()
    topic, unit = rng.pick([one for one in _TEXTS["topics"][language] if whole or one[1] not in _COUNTED])
    labels = _random_labels(rng, kind, language)
    names = [topic]
    if kind in SEVERAL:
        names = []
        while len(names) < (3 if kind in ("heat", "grouped", "lines") and rng.chance() else 2):
            name = random_word(rng, language)
            if name not in names:
                names.append(name)
    most = (0.8 if kind == "box" else 0.97) / (len(names) if kind == "stacked" else 1)
    table = {name: {label: _random_value(rng, axis, kind, most) for label in labels} for name in names}
    return Chart(kind=kind, topic=topic, unit=unit, axis=axis, table=table)


def _random_axis(rng: SampleRng) -> Axis:
    """Steps of 1, 2, 2.5 or 5 times a power of ten."""
    digit, parts = rng.pick(((1, 5), (2, 4), (2.5, 5), (5, 5)))
    power = rng.whole(-1, 4)
    return Axis(major=round(digit * 10.0**power, 6), count=rng.whole(5, 7), parts=parts)


def _random_value(rng: SampleRng, axis: Axis, kind: str, most: float) -> float:
    """On a tick, or half-way between two where this can be seen."""
    fine = 1 if kind in _COARSE else 2
    ticks = axis.count * axis.parts * fine
    low = 0.35 if kind == "polar" else 0.2 if most > 0.5 else 0.16
    return round(rng.whole(round(low * ticks), int(most * ticks)) * axis.minor / fine, 6)


def _random_labels(rng: SampleRng, kind: str, language: str) -> list[str]:
    if kind == "histogram":
        step, start = rng.pick((2, 5, 10, 20)), rng.whole(0, 6)
        return [f"{(start + k) * step}–{(start + k + 1) * step}" for k in range(rng.whole(5, 8))]
    count = rng.whole(3, 5) if kind in SEVERAL else rng.whole(4, 7)
    ready = rng.pick((*_TEXTS["labels"][language], None, None))
    if ready:
        start = rng.whole(0, len(ready) - count)
        return list(ready[start : start + count])
    labels: list[str] = []
    while len(labels) < count:
        name = random_word(rng, language)[:7]
        if name not in labels:
            labels.append(name)
    return labels

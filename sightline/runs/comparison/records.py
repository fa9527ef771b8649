"""What a comparison comes to, as plain records: the contents of comparison.json."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sightline.core.records import Remark
from sightline.scoring.summary import Usage

Measure = Literal["accuracy", "mean_score"]


class Side(Struct, frozen=True, kw_only=True):
    """One of the runs that are compared."""

    letter: str
    """A, B, C…: what the tables call it."""
    folder: str
    suite: str
    model: str
    params: str = ""
    complete: bool = True
    samples: int = 0
    coverage: float | None = None
    usage: Usage
    seconds_asking: float = 0.0
    deviations: tuple[Remark, ...] = ()


class Pairing(Struct, frozen=True, kw_only=True):
    """Which samples could be paired, and which could not."""

    pairs: int
    only_first: int
    only_second: int
    unanswered_first: int
    """Samples of both runs that are left out because they failed or are invalid in the first run alone."""
    unanswered_second: int
    unanswered_both: int
    repeated: int = 0
    """Sample ids that a run uses more than once: these runs are paired by place in the data set as well."""


SURE = 0.05


class Difference(Struct, frozen=True, kw_only=True):
    """A measure of both runs on the same samples, and second − first with what it rests on."""

    measure: Measure
    first: float | None
    second: float | None
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int = 0
    method: str = ""
    """`tango`, `tango over clusters`, `student t over clusters` `wilson over clusters`; empty: no interval."""
    p: float | None = None
    test: str = ""
    """`mcnemar exact`, `score t` (shares over clusters), `student t` `mcnemar over clusters`; empty: no p."""
    mid_p: float | None = None
    p_holm: float | None = None
    """Corrected for all runs that are compared with the first; that of a slice for all slices too."""
    p_bh: float | None = None
    least: float | None = None
    """The least difference that such samples would show with 80 % power."""


class Slice(Struct, frozen=True, kw_only=True):
    """The difference on the samples of one task, or of one value of a tag."""

    scope: str
    name: str
    first_only: int
    second_only: int
    difference: Difference


class Flip(Struct, frozen=True, kw_only=True):
    """A sample that one run got right and the other did not."""

    sample: str
    task: str
    source: str
    first: float
    second: float


class Versus(Struct, frozen=True, kw_only=True):
    """One run against the first."""

    first: str
    second: str
    pairing: Pairing
    measure: Measure
    """The measure that slices and the gate go by."""
    accuracy: Difference
    mean_score: Difference
    both_right: int
    first_only: int
    second_only: int
    both_wrong: int
    slices: tuple[Slice, ...] = ()
    crowded: tuple[str, ...] = ()
    """Tags with too many values to be broken down by."""
    flips: tuple[Flip, ...] = ()
    """The first few either way."""

    @property
    def main(self) -> Difference:
        """The difference that counts."""
        return self.accuracy if self.measure == "accuracy" else self.mean_score

    def worse(self, margin: float = 0.0) -> bool:
        """Whether the second run is surely worse than the first by more than `margin`.

        All of the interval lies below, and the test says the same: McNemar's exact test is the more cautious one.
        """
        main = self.main
        sure = main.p is None or main.p < SURE
        return main.high is not None and main.high < -margin and sure


class Comparison(Struct, frozen=True, kw_only=True):
    """All runs against the first."""

    sides: tuple[Side, ...]
    versus: tuple[Versus, ...]
    differences: tuple[Remark, ...] = ()
    """What should have kept these runs apart, where the comparison was forced."""
    notes: tuple[Remark, ...] = ()

    def worse(self, margin: float = 0.0) -> tuple[str, ...]:
        """The letters of the runs that are worse than the first by more than `margin`."""
        return tuple(one.second for one in self.versus if one.worse(margin))

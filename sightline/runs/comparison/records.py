"""Records of a comparison (the contents of comparison.json), and the names of tags in its tables."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sightline.core.records import Unit
from sightline.core.remarks import Remark
from sightline.scoring.summary import Usage

Measure = Literal["accuracy", "mean_score"]


class ComparedRun(Struct, frozen=True, kw_only=True):
    """One of the compared runs."""

    letter: str
    """Label in tables: A, B, C…"""
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
    """Counts of paired and unpaired samples."""

    pairs: int
    only_first: int
    only_second: int
    unanswered_first: int
    """Samples of both runs that are left out because they failed or are invalid in the first run alone."""
    unanswered_second: int
    unanswered_both: int
    repeated: int = 0
    """Number of repeated sample ids; if any, samples are paired by position in the dataset as well."""


SIGNIFICANCE_LEVEL = 0.05


class Difference(Struct, frozen=True, kw_only=True):
    """A measure of both runs on the same samples, the difference second − first, its interval and test."""

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
    """Holm-corrected for all compared runs; for slices, over all slices of all runs."""
    p_bh: float | None = None
    least: float | None = None
    """Minimum detectable difference at 80 % power."""
    weighted: bool = False
    """Whether samples have different weights, by difficulty or because they were sampled by strata."""


class FigureDifference(Struct, frozen=True, kw_only=True):
    """A figure of both runs as their reports have it, the difference second − first, its interval and test.

    Each figure is that of all samples which its run answered; the interval pairs them by cluster.
    """

    scope: str
    """`overall` or `task`."""
    name: str
    english: str = ""
    metric: str
    title: str
    unit: Unit = "share"
    higher_is_better: bool = True
    first: float
    second: float
    value: float
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Samples of the run that answered fewer."""
    clusters: int = 0
    method: str = ""
    p: float | None = None
    test: str = ""
    p_holm: float | None = None
    """Holm-corrected over all figures of all runs."""
    p_bh: float | None = None
    least: float | None = None
    """Minimum detectable difference at 80 % power."""


class Slice(Struct, frozen=True, kw_only=True):
    """The difference on the samples of one task, or of one value of a tag."""

    scope: str
    name: str
    first_only: int
    second_only: int
    difference: Difference


class Flip(Struct, frozen=True, kw_only=True):
    """A sample that only one of the two runs got right."""

    sample: str
    task: str
    source: str
    first: float
    second: float


class PairwiseComparison(Struct, frozen=True, kw_only=True):
    """Comparison of one run with the first."""

    first: str
    second: str
    pairing: Pairing
    measure: Measure
    """The measure used for slices and for the regression gate."""
    accuracy: Difference
    mean_score: Difference
    both_right: int
    first_only: int
    second_only: int
    both_wrong: int
    slices: tuple[Slice, ...] = ()
    figures: tuple[FigureDifference, ...] = ()
    """Every other figure that both reports have: AP, F1, CIDEr …"""
    crowded: tuple[str, ...] = ()
    """Tags with too many values to slice by."""
    flips: tuple[Flip, ...] = ()
    """The first few per direction."""

    @property
    def main(self) -> Difference:
        """The difference of the primary measure."""
        return self.accuracy if self.measure == "accuracy" else self.mean_score

    def worse(self, margin: float = 0.0) -> bool:
        """Whether the second run is significantly worse than the first by more than `margin`.

        Both the whole interval must lie below −margin and the test must be significant.
        """
        main = self.main
        sure = main.p is None or main.p < SIGNIFICANCE_LEVEL
        return main.high is not None and main.high < -margin and sure


class Comparison(Struct, frozen=True, kw_only=True):
    """All runs against the first."""

    sides: tuple[ComparedRun, ...]
    versus: tuple[PairwiseComparison, ...]
    differences: tuple[Remark, ...] = ()
    """Reasons why the runs are not comparable, if the comparison was forced."""
    notes: tuple[Remark, ...] = ()

    def worse(self, margin: float = 0.0) -> tuple[str, ...]:
        """Letters of the runs that are significantly worse than the first by more than `margin`."""
        return tuple(comparison.second for comparison in self.versus if comparison.worse(margin))


_NAMES = {
    "task": Remark("task"),
    "category": Remark("category"),
    "cell": Remark("cell"),
    "difficulty": Remark("difficulty"),
    "dimension": Remark("dimension"),
    "domain": Remark("domain"),
    "file": Remark("file"),
    "language": Remark("language"),
    "law": Remark("physical law"),
    "level": Remark("level"),
    "modality": Remark("modality"),
    "note": Remark("note"),
    "picture": Remark("picture"),
    "qid": Remark("question"),
}


def tag_name(tag: str) -> str:
    """The name of a tag."""
    return str(_NAMES.get(tag, tag))

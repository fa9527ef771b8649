"""Populations of pictures whose figures are known, and samples drawn from them, for tests and bench/intervals.py.

A population is the state of a metric over thousands of pictures, made by the code that scores replies. A sample draws
pictures from it with replacement, so that the figure of the whole population is the truth which intervals shall hold.
Pictures differ in difficulty and hold different numbers of questions or objects, a few of them very many.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.core.records import Estimate
from sightline.data.columns import Batch, Labels, Numbers, Polygons, Ranks, Shapes, TextColumn
from sightline.scoring.geometry.arrays import offsets_of
from sightline.scoring.metrics.average_precision import Ranking
from sightline.scoring.metrics.captions import CaptionState, CaptionTargetStatistics
from sightline.scoring.metrics.captions.state import BLEU1, BLEU4, CIDER, LENGTH_IN_RANGE, MEAN_WORDS, METEOR, ROUGE_L
from sightline.scoring.metrics.detection import (
    AP25,
    AP50,
    AP75,
    COUNT_ACCURACY,
    COUNT_MAE,
    COUNT_RMSE,
    F1_50,
    F1_75,
    MAP,
    MEAN_IOU,
    PRECISION50,
    RECALL50,
    DetectionState,
)
from sightline.scoring.metrics.label_counts import ClassCounts, ClusterCounts, LabelTargetStatistics
from sightline.scoring.metrics.labels import KAPPA, MACRO_F1, MACRO_PRECISION, MACRO_RECALL, MICRO_F1, LabelState
from sightline.scoring.metrics.masks import (
    CIOU,
    DICE,
    MASK_AP,
    MASK_AP50,
    MASK_AP75,
    MIOU,
    PIXEL_F1,
    PIXEL_PRECISION,
    PIXEL_RECALL,
    MaskState,
)
from sightline.scoring.metrics.match_state import MatchCounts, MatchState
from sightline.scoring.metrics.numbers import MAE, RMSE, WITHIN_ONE, NumberState
from sightline.scoring.metrics.ranks import (
    RECIPROCAL_RANK,
    RETRIEVAL_F1,
    RETRIEVAL_PRECISION,
    RETRIEVAL_RECALL,
    RankState,
)
from sightline.scoring.metrics.record_metrics import BalancedAccuracy, MatthewsCorrelation
from sightline.scoring.metrics.state import ACCURACY, MEAN_SCORE, Metric, MetricContext, ScoreState
from sightline.stats.cluster_sums import ClusterSums
from sightline.stats.influence import ClusterEstimate, combine
from sightline.stats.paired import Spread, figure_difference

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rng = np.random.Generator
PICTURES = 4000
"""As many clusters are kept apart in sums."""
LABEL_PICTURES = 1000
"""As many are kept apart in counts by class."""
_NESTED = (ClassCounts, MatchCounts, MatchState)


class Population(NamedTuple):
    """States over all pictures, whose clusters are numbered from 0, and the figures that are computed from each."""

    name: str
    sizes: Ints
    """Samples of each picture."""
    states: tuple[tuple[Any, dict[str, Callable[[Any], Estimate]]], ...]

    def truths(self) -> dict[str, float]:
        """The figures of the whole population."""
        found = {name: compute(state).value for state, figures in self.states for name, compute in figures.items()}
        return {name: value for name, value in found.items() if value is not None}

    def estimates(self, rng: Rng, pictures: int) -> dict[str, Estimate]:
        """The figures of a sample of so many pictures."""
        rows, keys = draw(rng, len(self.sizes), pictures)
        return self.estimates_of(rows, keys)

    def estimates_of(self, rows: Ints, keys: NDArray[np.uint64]) -> dict[str, Estimate]:
        """The figures of the pictures at these rows, each a cluster of its own."""
        samples = int(self.sizes[rows].sum())
        return {
            name: compute(drawn)
            for state, figures in self.states
            for drawn in (resample(state, rows, keys, samples),)
            for name, compute in figures.items()
        }


def draw(rng: Rng, size: int, pictures: int) -> tuple[Ints, NDArray[np.uint64]]:
    """Rows drawn with replacement, and a hash for each."""
    return rng.integers(0, size, pictures), rng.integers(0, 2**63, pictures).astype(np.uint64)


def resample(state: Any, rows: Ints, keys: NDArray[np.uint64], samples: int) -> Any:
    """The state that these pictures of the population would have left, were each of them another cluster."""
    if isinstance(state, ClusterSums):
        return _resample_sums(state, rows, keys, samples)
    if isinstance(state, ClusterCounts):
        return _resample_counts(state, rows, keys)
    if isinstance(state, Ranking):
        return _resample_ranking(state, rows, keys)
    made = copy.copy(state)
    for name, value in vars(state).items():
        if isinstance(value, (ClusterSums, ClusterCounts, Ranking, *_NESTED)):
            setattr(made, name, resample(value, rows, keys, samples))
    if isinstance(made, ClassCounts) and made.clusters is not None:
        made.totals = made.clusters.table.sum(axis=0)
    return made


def _resample_sums(sums: ClusterSums, rows: Ints, keys: NDArray[np.uint64], samples: int) -> ClusterSums:
    table = np.zeros((PICTURES, sums.columns))
    table[sums.state_dict()["keys"].astype(np.int64)] = sums.table()
    made = ClusterSums(sums.columns)
    if sums.samples:
        made.add(keys, table[rows])
        made.samples, made.binary = samples, sums.binary
    return made


def _resample_counts(counts: ClusterCounts, rows: Ints, keys: NDArray[np.uint64]) -> ClusterCounts:
    state = counts.state_dict()
    table = np.zeros((LABEL_PICTURES, counts.columns), np.int64)
    table[state["keys"].astype(np.int64)] = state["table"]
    order = np.argsort(keys)
    part, made = ClusterCounts(counts.columns), ClusterCounts(counts.columns)
    part.load_state_dict({**state, "keys": keys[order], "table": table[rows[order]]})
    made.merge(part)
    return made


def _resample_ranking(ranking: Ranking, rows: Ints, keys: NDArray[np.uint64]) -> Ranking:
    state = ranking.state_dict()
    made = Ranking()
    if len(state["scores"]):
        order = np.argsort(state["clusters"], kind="stable")
        starts = np.searchsorted(state["clusters"][order], np.arange(PICTURES + 1))
        counts = np.diff(starts)[rows]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        taken = order[np.repeat(starts[rows], counts) + within]
        made.add(state["scores"][taken], state["bits"][taken], np.repeat(keys, counts))
    return made


def metrics(*named: Metric) -> dict[str, Callable[[Any], Estimate]]:
    """Figures by their titles."""
    return {metric.title: metric.compute for metric in named}


def _skewed(rng: Rng, mean: float, size: int, spread: float = 1.0) -> Ints:
    """Counts from 0 on, of which a few are many times the mean."""
    return rng.poisson(mean * rng.lognormal(-(spread**2) / 2, spread, size))


def _logistic(values: Any) -> Any:
    return 1 / (1 + np.exp(-values))


def _questions(rng: Rng, pictures: int, most: int = 8) -> tuple[Ints, Ints, Floats]:
    """Questions of each picture, from 1 on; the picture of each question, and its ease."""
    sizes = 1 + np.minimum(_skewed(rng, 2, pictures), most - 1)
    picture = np.repeat(np.arange(pictures), sizes)
    return sizes, picture, rng.normal(0, 1, pictures)[picture]


def _scores(rng: Rng, sizes: Ints, picture: Ints, scores: Floats) -> ScoreState:
    state = ScoreState()
    state.sums.add(picture.astype(np.uint64), np.stack((scores >= 1, np.ones(len(scores)), scores), axis=1))
    return state


def shares(level: float, seed: int = 0, single: bool = False) -> Population:
    """Questions that are right or wrong, in several pictures or each in one of its own."""
    rng = np.random.default_rng(seed)
    sizes, picture, ease = _questions(rng, PICTURES, 1 if single else 8)
    right = (rng.random(len(ease)) < _logistic(np.log(level / (1 - level)) + ease)).astype(float)
    name = f"right or wrong, about {100 * level:g} %" + (", one question a picture" if single else "")
    return Population(name, sizes, ((_scores(rng, sizes, picture, right), metrics(ACCURACY)),))


def truth_values(seed: int = 0) -> Population:
    """Yes and no, with twice as many of one."""
    rng = np.random.default_rng(seed)
    sizes, picture, ease = _questions(rng, PICTURES)
    target = rng.random(len(ease)) < 0.35
    said = np.where(rng.random(len(ease)) < _logistic(1.2 + ease), target, rng.random(len(ease)) < 0.6)
    balanced, matthews = BalancedAccuracy(), MatthewsCorrelation()
    keys = picture.astype(np.uint64)
    balanced.sums.add(keys, np.stack((said & target, target, ~said & ~target, ~target), axis=1))
    matthews.sums.add(keys, np.stack((said & target, said & ~target, ~said & target, ~said & ~target), axis=1))
    return Population(
        "yes or no",
        sizes,
        ((balanced, {"Balanced accuracy": lambda s: s.compute()}), (matthews, {"MCC": lambda s: s.compute()})),
    )


def partial_scores(seed: int = 0) -> Population:
    """Scores between 0 and 1, many of them at the ends."""
    rng = np.random.default_rng(seed)
    sizes, picture, ease = _questions(rng, PICTURES)
    scores = np.clip(rng.normal(0.75 + 0.25 * ease, 0.3), 0, 1)
    return Population("partial scores", sizes, ((_scores(rng, sizes, picture, scores), metrics(MEAN_SCORE)),))


def labels(several: bool = False, seed: int = 0, model: int = 0) -> Population:
    """Twelve classes, the rarest of them a fortieth of the samples; one label a sample, or several."""
    rng = np.random.default_rng(seed)
    sizes, picture, ease = _questions(rng, LABEL_PICTURES)
    classes, n = 12, len(ease)
    share = 1 / np.arange(1.0, classes + 1) ** 0.75
    share /= share.sum()
    names = {code + 1: f"class {code}" for code in range(classes)}
    counts = 1 + rng.binomial(2, 0.4, n) if several else np.ones(n, np.int64)
    true, given = [], []
    chance = np.random.default_rng([seed, model])
    skill = 0.8 + 0.2 * model + chance.normal(0, 0.5, classes)
    for row in range(n):
        own = rng.choice(classes, counts[row], replace=False, p=share)
        is_kept = chance.random(len(own)) < _logistic(skill[own] + ease[row])
        kept = np.where(is_kept, own, chance.choice(classes, len(own), p=share))
        true.append(np.unique(own) + 1)
        given.append(np.unique(kept) + 1)
    columns = [
        Labels(offsets_of([len(one) for one in side]), np.concatenate(side).astype(np.uint64), names)
        for side in (true, given)
    ]
    statistics = LabelTargetStatistics()
    statistics.add(columns[0], 0)
    state = LabelState(MetricContext(target_statistics=statistics))
    state.count(Batch(*columns, np.ones(n, np.bool_), picture.astype(np.uint64)))
    figures = metrics(MACRO_F1, MACRO_RECALL, MACRO_PRECISION, MICRO_F1, *(() if several else (KAPPA,)))
    return Population("labels, several a sample" if several else "labels", sizes, ((state, figures),))


def numbers(seed: int = 0, model: int = 0) -> Population:
    """Counts of which half are told exactly; the others err in proportion, some of them by a multiple."""
    rng = np.random.default_rng(seed)
    sizes, picture, ease = _questions(rng, PICTURES)
    truth = np.minimum(_skewed(rng, 12, len(ease)), 300).astype(float)
    rng = np.random.default_rng([seed, model])
    off = np.rint(truth * rng.lognormal(0, 0.35, len(ease))) + rng.integers(-1, 2, len(ease))
    said = np.where(rng.random(len(ease)) < _logistic(ease + 0.2 * model), truth, np.maximum(off, 0))
    read = rng.random(len(ease)) > 0.03
    state = NumberState()
    state.count(Batch(Numbers(truth), Numbers(np.where(read, said, np.nan)), read, picture.astype(np.uint64)))
    return Population("counting", sizes, ((state, metrics(MAE, RMSE, WITHIN_ONE)),))


def ranks(seed: int = 0) -> Population:
    """Lists of indices, of which some are left out and some invented."""
    rng = np.random.default_rng(seed)
    sizes, picture, ease = _questions(rng, PICTURES)
    lists: tuple[list[Ints], list[Ints]] = ([], [])
    for one in ease:
        wanted = rng.choice(30, 1 + rng.poisson(2), replace=False)
        kept = wanted[rng.random(len(wanted)) < _logistic(1 + one)]
        lists[0].append(wanted)
        lists[1].append(rng.permutation(np.unique(np.concatenate((kept, rng.choice(30, rng.poisson(0.6)))))))
    columns = [Ranks(offsets_of([len(x) for x in side]), np.concatenate(side).astype(np.int64)) for side in lists]
    state = RankState()
    state.count(Batch(*columns, np.ones(len(ease), np.bool_), picture.astype(np.uint64)))
    figures = metrics(RETRIEVAL_RECALL, RETRIEVAL_PRECISION, RETRIEVAL_F1, RECIPROCAL_RANK)
    return Population("retrieval", sizes, ((state, figures),))


def boxes(
    name: str,
    found: float = 1.5,
    invented: float = 0.2,
    shift: float = 0.08,
    scored: bool = False,
    seed: int = 0,
    model: int = 0,
) -> Population:
    """Pictures with many or no objects; boxes are found, moved, left out and invented; with scores or without."""
    rng = np.random.default_rng(seed)
    true, ease = np.minimum(_skewed(rng, 6, PICTURES), 150), rng.normal(0, 0.8, PICTURES)
    picture = np.repeat(np.arange(PICTURES), true)
    truth = _boxes(rng, len(picture))
    rng = np.random.default_rng([seed, model])
    is_found = rng.random(len(picture)) < _logistic(found + 0.3 * model + ease[picture])
    side = np.tile(truth[:, 2:] - truth[:, :2], 2)
    reach = rng.normal(0, shift * np.exp(-0.4 * ease[picture]))[:, None]
    moved = truth + side * reach * rng.choice((-1, 1), truth.shape)
    moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2] + 1)
    more = rng.poisson(invented * (0.5 + true) * np.exp(-0.5 * ease))
    owner = np.concatenate((picture[is_found], np.repeat(np.arange(PICTURES), more)))
    order = np.argsort(owner, kind="stable")
    coords = np.concatenate((moved[is_found], _boxes(rng, int(more.sum()))))[order]
    sure = np.concatenate((rng.normal(0.9, 1, int(is_found.sum())), rng.normal(-0.4, 1, int(more.sum()))))[order]
    predicted = np.bincount(owner, minlength=PICTURES)
    unstated = np.full(PICTURES, np.nan)
    scores = np.round(_logistic(sure), 2) if scored else None
    reply = Shapes(offsets_of(predicted), coords, unstated, scores)
    return _detections(name, Shapes(offsets_of(true), truth, unstated), reply, not scored)


def _detections(name: str, truth: Shapes, reply: Shapes, with_counts: bool, picture: Ints | None = None) -> Population:
    clusters = np.arange(len(truth)) if picture is None else picture
    state = DetectionState()
    state.count(Batch(truth, reply, np.ones(len(truth), np.bool_), clusters.astype(np.uint64)))
    figures = metrics(AP50, AP75, MAP, PRECISION50, RECALL50, F1_50, F1_75, MEAN_IOU)
    if picture is not None:
        figures = metrics(AP50, AP25, PRECISION50, RECALL50, F1_50, MEAN_IOU)
    if with_counts:
        figures |= metrics(COUNT_ACCURACY, COUNT_MAE, COUNT_RMSE)
    sizes = np.bincount(clusters, minlength=PICTURES)
    return Population(name, sizes, ((state, figures),))


def _boxes(rng: Rng, count: int) -> Floats:
    corner, size = rng.uniform(0, 4000, (count, 2)), rng.lognormal(3.5, 0.7, (count, 2))
    return np.concatenate((corner, corner + size), axis=1)


def grounding(seed: int = 0, model: int = 0) -> Population:
    """One box to find and one reply each, several questions a picture."""
    rng = np.random.default_rng(seed)
    _, picture, ease = _questions(rng, PICTURES)
    n = len(picture)
    truth = _boxes(rng, n)
    side = np.tile(truth[:, 2:] - truth[:, :2], 2)
    rng = np.random.default_rng([seed, model])
    reach = rng.normal(0, (0.16 - 0.01 * model) * np.exp(-0.5 * ease))[:, None]
    moved = truth + side * reach * rng.choice((-1, 1), truth.shape)
    moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2] + 1)
    read = rng.random(n) < 0.97
    unstated, each = np.full(n, np.nan), offsets_of(np.ones(n, np.int64))
    reply = Shapes(offsets_of(read.astype(np.int64)), moved[read], unstated)
    return _detections("visual grounding", Shapes(each, truth, unstated), reply, False, picture)


def masks(instances: bool = False, seed: int = 0, model: int = 0) -> Population:
    """Rectangles, shifted or missed, of very different areas."""
    rng = np.random.default_rng(seed)
    pictures = 1500
    counts = 1 + np.minimum(_skewed(rng, 1.5, pictures), 12)
    ease = rng.normal(0, 1, pictures)
    picture = np.repeat(np.arange(pictures), counts)
    corner, size = rng.uniform(0, 300, (len(picture), 2)), np.minimum(rng.lognormal(3.2, 0.8, (len(picture), 2)), 200)
    rng = np.random.default_rng([seed, model])
    moved = corner + size * rng.normal(0, 0.12 * np.exp(-0.5 * ease[picture]), (2, len(picture))).T
    kept = rng.random(len(picture)) < _logistic(2 + 0.3 * model + ease[picture])
    columns = [
        Polygons(offsets_of(n), offsets_of(np.full(len(at), 4)), _rings(at, of), np.full(pictures, np.nan))
        for n, at, of in (
            (counts, corner, size),
            (np.bincount(picture[kept], minlength=pictures), moved[kept], size[kept]),
        )
    ]
    state = MaskState(MetricContext(options={"instances": instances, "space": "pixels"}))
    state.count(Batch(*columns, np.ones(pictures, np.bool_), np.arange(pictures, dtype=np.uint64)))
    figures = metrics(MIOU, DICE, CIOU, PIXEL_F1, PIXEL_PRECISION, PIXEL_RECALL)
    if instances:
        figures = metrics(MASK_AP, MASK_AP50, MASK_AP75)
    name = "instance segmentation" if instances else "semantic segmentation"
    return Population(name, np.ones(pictures, np.int64), ((state, figures),))


def _rings(corner: Floats, size: Floats) -> Floats:
    signs = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    return (corner[:, None] + size[:, None] * signs).reshape(-1, 2)


_TEXT = (
    "the a of many some buildings trees green road river two planes are is near large small white airport in with and "
    "field parked houses residential area dense several cars ships harbour bridge water blue roof sea beach forest "
    "lake runway baseball diamond storage tank railway station square church stadium pond playground mountain farmland"
)
_WORDS = _TEXT.split()


@cache
def _captions(seed: int, model: int) -> tuple[Ints, Ints, TextColumn, TextColumn]:
    """Captions of each picture, the picture of each caption, references and replies."""
    rng, chance = np.random.default_rng(seed), np.random.default_rng([seed, model])
    sizes, picture, ease = _questions(rng, PICTURES, 4)
    share = 1 / np.arange(1.0, len(_WORDS) + 1)
    share /= share.sum()
    texts: tuple[list[str], list[str]] = ([], [])
    for one in ease:
        words = rng.choice(len(_WORDS), rng.integers(8, 18), p=share)
        is_kept = chance.random(len(words)) < _logistic(0.9 + 0.2 * model + one)
        said = np.where(is_kept, words, chance.choice(len(_WORDS), len(words), p=share))
        for side, chosen in zip(texts, (words, said[: chance.integers(6, 19)]), strict=True):
            side.append(" ".join(_WORDS[k] for k in chosen))
    return sizes, picture, TextColumn.of(texts[0]), TextColumn.of(texts[1])


def captions(seed: int = 0, model: int = 0) -> Population:
    """Sentences by a Zipf law, of which a reply keeps a part; one to a few regions a picture."""
    sizes, picture, truth, reply = _captions(seed, model)
    state = _caption_state(truth, reply, picture.astype(np.uint64), frozenset({"meteor"}))
    figures = metrics(CIDER, ROUGE_L, BLEU1, BLEU4, METEOR, LENGTH_IN_RANGE, MEAN_WORDS)
    return Population("captions", sizes, ((state, figures),))


def _caption_state(
    truth: TextColumn, reply: TextColumn, clusters: NDArray[np.uint64], names: frozenset[str] = frozenset()
) -> CaptionState:
    statistics = CaptionTargetStatistics()
    statistics.add(truth, 0)
    context = MetricContext(target_statistics=statistics, metric_names=names, options={"words": (8, 14)})
    state = CaptionState(context)
    state.count(Batch(truth, reply, np.ones(len(truth), np.bool_), clusters))
    state.close()
    return state


def corpus_coverage(pictures: int, trials: int, seed: int = 0) -> dict[str, Coverage]:
    """CIDEr where each sample is a corpus with its own document frequencies, as it is for a user.

    CIDEr depends on the size of the corpus: the truth is its mean over all samples of that size.
    """
    sizes, _, truth, reply = _captions(0, 0)
    starts, rng, found = np.concatenate(([0], np.cumsum(sizes))), np.random.default_rng([seed, pictures]), []
    for _ in range(trials):
        drawn, keys = draw(rng, PICTURES, pictures)
        rows = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in drawn])
        clusters = np.repeat(keys, sizes[drawn])
        found.append({"CIDEr": CIDER.compute(_caption_state(truth.take(rows), reply.take(rows), clusters))})
    values = [one["CIDEr"].value for one in found]
    return _covered({"CIDEr": float(np.mean([value for value in values if value is not None]))}, found)


POPULATIONS: Mapping[str, Callable[[], Population]] = {
    "share 80": lambda: shares(0.8),
    "share 97": lambda: shares(0.97),
    "share 2": lambda: shares(0.02),
    "share single": lambda: shares(0.7, single=True),
    "yes or no": truth_values,
    "partial": partial_scores,
    "labels": labels,
    "multi-label": lambda: labels(several=True),
    "counting": numbers,
    "retrieval": ranks,
    "detection": lambda: boxes("detection"),
    "weak detection": lambda: boxes("weak detection", -1.0, 0.8, 0.15, seed=1),
    "good detection": lambda: boxes("good detection", 4.0, 0.03, 0.03, seed=2),
    "scored detection": lambda: boxes("detection with scores", scored=True, seed=3),
    "weak scored detection": lambda: boxes("weak detection with scores", 0.0, 1.5, 0.15, scored=True, seed=4),
    "grounding": grounding,
    "masks": masks,
    "instances": lambda: masks(instances=True),
    "captions": captions,
}


PAIRS: Mapping[str, Callable[[int], Population]] = {
    "labels": lambda model: labels(model=model),
    "counting": lambda model: numbers(model=model),
    "detection": lambda model: boxes("detection", model=model),
    "scored detection": lambda model: boxes("detection with scores", scored=True, seed=3, model=model),
    "grounding": lambda model: grounding(model=model),
    "masks": lambda model: masks(model=model),
    "captions": lambda model: captions(model=model),
}
"""Two models on the same pictures, of which the second is a little better."""


@cache
def pair(name: str) -> tuple[Population, Population]:
    """The populations of both models; made once."""
    return PAIRS[name](0), PAIRS[name](1)


@cache
def population(name: str) -> Population:
    """A population by name; made once."""
    return POPULATIONS[name]()


class Coverage(NamedTuple):
    """How often intervals held the truth, and how far they missed on each side."""

    trials: int
    held: float
    too_low: float
    """Share of intervals that lie wholly below the truth."""
    too_high: float
    width: float
    """Mean width."""


def coverage(of: Population, pictures: int, trials: int, seed: int = 0) -> dict[str, Coverage]:
    """How often the intervals of each figure hold the truth."""
    rng, truths = np.random.default_rng([seed, pictures]), of.truths()
    return _covered(truths, (of.estimates(rng, pictures) for _ in range(trials)))


def difference_coverage(name: str, pictures: int, trials: int, seed: int = 0) -> dict[str, Coverage]:
    """How often the intervals of the differences of two models, paired by picture, hold the truth."""
    first, second = pair(name)
    before, after = first.truths(), second.truths()
    rng = np.random.default_rng([seed, pictures])
    return _covered({name: after[name] - before[name] for name in before}, _differences(rng, name, pictures, trials))


def _differences(rng: Rng, name: str, pictures: int, trials: int) -> Iterator[dict[str, Spread]]:
    first, second = pair(name)
    for _ in range(trials):
        rows, keys = draw(rng, len(first.sizes), pictures)
        sides = first.estimates_of(rows, keys), second.estimates_of(rows, keys)
        yield {
            figure: figure_difference(
                other.value - one.value, combine([other.influence, one.influence], [1, -1]), np.inf
            )
            for figure, one, other in ((figure, sides[0][figure], sides[1][figure]) for figure in sides[0])
            if isinstance(one, ClusterEstimate) and isinstance(other, ClusterEstimate)
            if one.value is not None and other.value is not None
        }


def _covered(truths: Mapping[str, float], trials: Iterable[Mapping[str, Estimate | Spread]]) -> dict[str, Coverage]:
    reaches: dict[str, list[tuple[float, float]]] = {name: [] for name in truths}
    for found_of in trials:
        for name, estimate in found_of.items():
            low, high = (np.nan if end is None else end for end in (estimate.low, estimate.high))
            reaches[name].append((low, high))
    found = {}
    for name, pairs in reaches.items():
        low, high = np.array(pairs).T
        below, above = high < truths[name] - 1e-9, low > truths[name] + 1e-9
        none = np.isnan(low)
        held = ~below & ~above & ~none
        found[name] = Coverage(len(pairs), held.mean(), below.mean(), above.mean(), float(np.nanmean(high - low)))
    return found

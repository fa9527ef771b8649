"""Metric state of captions (CIDEr, ROUGE-L, BLEU, METEOR, length of replies), and statistics of all references."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.records import Estimate
from sightline.data.columns import Batch, TextColumn, make_references
from sightline.scoring.metrics.state import ColumnState, Metric, MetricContext, TargetStatistics, Values, ratio
from sightline.stats.cluster_sums import ClusterSums
from sightline.stats.intervals import Scale, Statistic
from sightline.stats.state_checks import require, validate_state

if TYPE_CHECKING:
    from sightline.scoring.batch import ScoreBatch
    from sightline.scoring.metrics.captions.corpus import Block, Frequencies
    from sightline.scoring.metrics.captions.tokenizer import Keys, Tokens


_COUNT_LOCK = threading.Lock()
NOT_WANTED = "not counted: METEOR was not asked for"
TOO_FEW = "fewer than two samples"
TOO_LONG = "captions too long for METEOR, counted as no match"
MOST_FREQUENT = "the most frequent caption"


class CaptionTargetStatistics(TargetStatistics):
    """The references of a corpus, batch by batch. One thread adds; finished, it may be read by many."""

    def __init__(self) -> None:
        self._blocks: dict[int, Block] = {}
        self._frequencies: Frequencies | None = None
        self._most_frequent: Keys | None = None

    def add(self, truth: TextColumn, key: int = -1) -> None:
        """Take the references of the batch number `key`."""
        from sightline.scoring.metrics.captions.corpus import pack
        from sightline.scoring.metrics.captions.tokenizer import tokenize

        self._put(key, pack(tokenize(truth).words))

    def merge(self, other: CaptionTargetStatistics) -> None:
        """Take all that `other` has seen."""
        for key, block in other._blocks.items():
            self._put(key, block)

    def state_dict(self) -> dict[str, Any]:
        """The references as values and arrays."""
        return {
            "blocks": [
                [key, block.offsets, block.ids, block.vocabulary, block.spaced, block.groups]
                for key, block in self._blocks.items()
            ]
        }

    def load_state_dict(self, state: Any) -> None:
        """Take the references of others. Raises `ValueError` where they are none.

        Kernels read these arrays without looking at bounds, so that all are looked at here.
        """
        from sightline.scoring.metrics.captions.corpus import validate_block

        blocks = {}
        for entry in validate_state(state, CaptionTargetStatistics().state_dict())["blocks"]:
            require(type(entry) is list and len(entry) == 6 and type(entry[0]) is int)
            blocks[entry[0]] = validate_block(*entry[1:])
        self._blocks, self._frequencies, self._most_frequent = blocks, None, None

    def _put(self, key: int, block: Block) -> None:
        if key < 0:
            key = min((*self._blocks, 0)) - 1
        self._blocks[key] = block
        self._frequencies = self._most_frequent = None

    @property
    def samples(self) -> int:
        """How many samples have references."""
        return sum(map(len, self._blocks.values()))

    def frequencies(self) -> Frequencies:
        """In the references of how many samples each n-gram occurs; counted when first asked for."""
        from sightline.scoring.metrics.captions.corpus import count_documents

        with _COUNT_LOCK:
            if self._frequencies is None:
                self._frequencies = count_documents(list(self._blocks.values()))
            return self._frequencies

    def most_frequent(self) -> Keys:
        """The words of the caption that most references are, the blind baseline."""
        from sightline.scoring.metrics.captions.corpus import find_most_frequent

        with _COUNT_LOCK:
            if self._most_frequent is None:
                self._most_frequent = find_most_frequent(list(self._blocks.values()))
            return self._most_frequent


class UnscoredBatch(Struct, frozen=True):
    """A batch without target statistics: CIDEr has to wait until all references are known."""

    clusters: NDArray[np.uint64]
    weights: NDArray[np.float64]
    replies: Block
    truths: Block


def read_captions(batch: Batch, context: MetricContext | None = None) -> tuple[Tokens, Tokens]:
    """The tokens of replies and references, which scorer and metrics share."""
    from sightline.scoring.metrics.captions.tokenizer import tokenize

    with_lines = context is not None and "meteor" in context.metric_names
    name = f"tokens {with_lines}"
    return batch.compute_once(name, lambda: (tokenize(batch.reply, with_lines), tokenize(batch.truth, with_lines)))


def score_captions(batch: Batch, context: MetricContext | None = None) -> Values:
    """ROUGE-L of each sample, which needs no other sample."""
    from sightline.scoring.metrics.captions.corpus import rouge_scores

    replies, truths = read_captions(batch, context)
    return {"score": batch.compute_once("ROUGE-L", lambda: rouge_scores(replies.words, truths.words))}


class CaptionState(ColumnState):
    """COCO caption metrics of one reply and one or more references per sample.

    Without target statistics the references added are the whole corpus.
    """

    input_kind: ClassVar[str] = "texts"
    takes_weights: ClassVar[bool] = True
    statistics_type: ClassVar[type[TargetStatistics] | None] = CaptionTargetStatistics
    excluded_from_state: ClassVar[tuple[str, ...]] = ("target_statistics", "with_meteor")

    @classmethod
    def warm_up(cls, wanted: frozenset[str]) -> None:
        """METEOR reads its tables for seconds."""
        if "meteor" in wanted:
            from sightline.scoring.metrics.captions.meteor import warm_up

            warm_up()

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.target_statistics: CaptionTargetStatistics | None = self.context.target_statistics
        self.with_meteor = "meteor" in self.context.metric_names
        self.why_no_meteor = "" if self.with_meteor else NOT_WANTED
        self.too_long = 0
        self._words = ClusterSums(2)
        self._in_range = ClusterSums(2)
        self._rouge = ClusterSums(2)
        self._cider = ClusterSums(2)
        self._bleu = ClusterSums(10)
        self._meteor = ClusterSums(6)
        self._constant = ClusterSums(13)
        """Of the most frequent caption as every reply: ROUGE-L, CIDEr, samples and the columns of BLEU."""
        self._kept: list[UnscoredBatch] = []

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`. Of records, those that hold `references` take part: their `reply` against them."""
        if scores.parsed is not None:
            return self.count(scores.parsed)
        if (batch := _batch_records(scores)) is not None:
            self.count(batch)
        return {}

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`; `score` is ROUGE-L."""
        from sightline.scoring.metrics.captions.tokenizer import word_counts

        words = word_counts(batch.reply)
        self._count_words(batch, words)
        values = self._score_batch(batch)
        return {"score": values["rouge_l"], **values, "words": words}

    def _count_words(self, batch: Batch, words: NDArray[np.int64]) -> None:
        each = np.ones(len(words))
        self._words.add(batch.clusters, np.column_stack((words, each)), batch.weights)
        if (asked := self.context.options.get("words")) is not None:
            low, high = asked
            fits = (words >= low) & (words <= high)
            self._in_range.add(batch.clusters, np.column_stack((fits, each)), batch.weights)

    def _score_batch(self, batch: Batch) -> Values:
        """Count the captions of a batch, and say what each sample got."""
        from sightline.scoring.metrics.captions.corpus import NO_FREQUENCIES, bleu, compare, compare_constant, pack

        replies, truths = read_captions(batch, self.context)
        frequencies = self.target_statistics.frequencies() if self.target_statistics is not None else NO_FREQUENCIES
        scores = compare(replies.words, truths.words, frequencies)
        each, weights = np.ones(len(batch)), batch.weights
        self._rouge.add(batch.clusters, np.column_stack((scores.rouge, each)), weights)
        self._bleu.add(batch.clusters, scores.bleu, weights)
        values: Values = {"rouge_l": scores.rouge, "bleu4": bleu(scores.bleu)}
        if self.target_statistics is not None:
            self._cider.add(batch.clusters, np.column_stack((scores.cider, each)), weights)
            values["cider"] = scores.cider
            blind = compare_constant(self.target_statistics.most_frequent(), truths.words, frequencies)
            self._constant.add(batch.clusters, np.column_stack((blind.rouge, blind.cider, each, blind.bleu)), weights)
        else:
            self._kept.append(
                UnscoredBatch(
                    batch.clusters, each if weights is None else weights, pack(replies.words), pack(truths.words)
                )
            )
        if (columns := self._align(replies, truths)) is not None:
            from sightline.scoring.metrics.captions.meteor import meteor

            self._meteor.add(batch.clusters, columns, weights)
            values["meteor"] = meteor(columns)
        return values

    def _align(self, replies: Tokens, truths: Tokens) -> NDArray[np.float64] | None:
        """METEOR's columns, where they are wanted and can be had."""
        if self.why_no_meteor:
            return None
        from sightline.scoring.metrics.captions.meteor import align
        from sightline.scoring.metrics.captions.meteor_lexicon import TablesMissingError

        assert replies.lines is not None and truths.lines is not None, "asked for with METEOR"
        try:
            aligned = align(replies.lines, truths.lines, truths.words.groups)
        except TablesMissingError as missing:
            self.why_no_meteor = str(missing)
            return None
        self.too_long += aligned.too_long
        return aligned.columns

    def merge(self, other: CaptionState) -> None:
        """See `MetricState`."""
        self.why_no_meteor = self.why_no_meteor or other.why_no_meteor
        self.too_long += other.too_long
        for name in ("_words", "_in_range", "_rouge", "_cider", "_bleu", "_meteor", "_constant"):
            getattr(self, name).merge(getattr(other, name))
        self._kept += other._kept

    def remarks(self) -> Mapping[str, int]:
        """See `ColumnState`."""
        return {TOO_LONG: self.too_long} if self.too_long else {}

    def blind_baseline(self, metric: Metric) -> tuple[str, float] | None:
        """See `MetricState`: what the most frequent caption would score as every reply."""
        from sightline.scoring.metrics.captions.corpus import bleu

        if not self._constant.samples:
            return None
        rouge, cider, samples, *columns = self._constant.totals().tolist()
        means = {"rouge_l": rouge / samples, "cider": cider / samples}
        orders = {"bleu": 4, "bleu1": 1, "bleu2": 2, "bleu3": 3, "bleu4": 4}
        if metric.name in orders:
            return MOST_FREQUENT, float(bleu(np.array(columns), orders[metric.name]))
        return (MOST_FREQUENT, means[metric.name]) if metric.name in means else None

    def _estimate(self, sums: ClusterSums, statistic: Statistic, why: str = "", scale: Scale = "bounded") -> Estimate:
        return Estimate(value=None, n=self._words.samples, reason=why) if why else sums.estimate(statistic, scale)

    def rouge_l(self) -> Estimate:
        """Mean of the samples' ROUGE-L."""
        return self._estimate(self._rouge, ratio)

    def bleu(self, order: int) -> Estimate:
        """BLEU of the corpus, from the sums over its samples."""
        from sightline.scoring.metrics.captions.corpus import bleu, strict_bleu

        # The interval is that of BLEU without smoothing: near 0 and 1 what is smoothed hardly varies, and the interval
        # would be a point.
        strict = self._bleu.estimate(lambda totals: strict_bleu(totals, order), "bounded")
        value = float(bleu(self._bleu.totals(), order)) if self._bleu.samples else None
        if value is None or strict.low is None or strict.high is None:
            return replace(strict, value=value)
        return replace(strict, value=value, low=min(strict.low, value), high=max(strict.high, value))

    def meteor(self) -> Estimate:
        """METEOR of the corpus, from the sums over its samples."""
        from sightline.scoring.metrics.captions.meteor import meteor

        return self._estimate(self._meteor, meteor, self.why_no_meteor)

    def cider(self) -> Estimate:
        """Mean of the samples' CIDEr by the document frequencies of the whole corpus."""
        corpus = self.target_statistics.samples if self.target_statistics is not None else self._words.samples
        why = TOO_FEW if corpus < 2 and self._words.samples else ""
        sums = self._cider if self.target_statistics is not None or why else self._deferred_cider()
        return self._estimate(sums, ratio, why, "positive")

    def _deferred_cider(self) -> ClusterSums:
        from sightline.scoring.metrics.captions.corpus import compare, count_documents

        sums = ClusterSums(2)
        frequencies = count_documents([kept.truths for kept in self._kept])
        for kept in self._kept:
            cider = compare(kept.replies.words(), kept.truths.words(), frequencies).cider
            sums.add(kept.clusters, np.column_stack((cider, np.ones(len(cider)))), kept.weights)
        return sums

    def mean_words(self) -> Estimate:
        """Mean number of words of a reply."""
        return self._words.estimate(ratio, "positive")

    def length_in_range(self) -> Estimate:
        """Share of replies whose number of words lies in the asked range; no data where none was asked for."""
        return self._in_range.estimate(ratio, "share")


def _batch_records(scores: ScoreBatch) -> Batch | None:
    """Replies and references of the records that have some; a reply that was not read counts as an empty text."""
    rows, replies, references = [], [], []
    for row in scores.counted.tolist():
        grade = scores.grades[row]
        named = grade.values.get("references")
        texts = [text for text in (named if isinstance(named, list | tuple) else [named]) if isinstance(text, str)]
        if texts:
            reply = grade.values.get("reply") if grade.status == "answered" else ""
            rows.append(row)
            replies.append(reply if isinstance(reply, str) else "")
            references.append(texts)
    if not rows:
        return None
    clusters = scores.samples.clusters[np.array(rows)]
    return Batch(make_references(references), TextColumn.of(replies), np.ones(len(rows), np.bool_), clusters)


CIDER = Metric(name="cider", title="CIDEr", state=CaptionState, compute=CaptionState.cider, unit="number", perfect=10.0)
ROUGE_L = Metric(name="rouge_l", title="ROUGE-L", state=CaptionState, compute=CaptionState.rouge_l, is_mean=True)
BLEU4 = Metric(name="bleu4", title="BLEU-4", state=CaptionState, compute=lambda state: state.bleu(4))
BLEU = Metric(name="bleu", title="BLEU-4", state=CaptionState, compute=lambda state: state.bleu(4))
BLEU3 = Metric(name="bleu3", title="BLEU-3", state=CaptionState, compute=lambda state: state.bleu(3))
BLEU2 = Metric(name="bleu2", title="BLEU-2", state=CaptionState, compute=lambda state: state.bleu(2))
BLEU1 = Metric(name="bleu1", title="BLEU-1", state=CaptionState, compute=lambda state: state.bleu(1))
METEOR = Metric(name="meteor", title="METEOR", state=CaptionState, compute=CaptionState.meteor)
LENGTH_IN_RANGE = Metric(
    name="length_in_range", title="Length in range", state=CaptionState, compute=CaptionState.length_in_range
)
MEAN_WORDS = Metric(
    name="mean_words", title="Words a reply", state=CaptionState, compute=CaptionState.mean_words, unit="number"
)

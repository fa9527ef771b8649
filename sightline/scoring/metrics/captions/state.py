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
from sightline.data.columns import Batch, TextColumn
from sightline.scoring.metrics.state import ColumnState, Metric, MetricContext, TargetStatistics, Values, ratio
from sightline.stats.cluster_sums import ClusterSums
from sightline.stats.intervals import Scale, Statistic
from sightline.stats.state_checks import require, validate_state

if TYPE_CHECKING:
    from sightline.scoring.batch import ScoreBatch
    from sightline.scoring.metrics.captions.corpus import Block, Frequencies
    from sightline.scoring.metrics.captions.tokenizer import Tokens, Words


_COUNT_LOCK = threading.Lock()
NOT_WANTED = "not counted: METEOR was not asked for"
TOO_FEW = "fewer than two samples"
TOO_LONG = "captions too long for METEOR, counted as no match"
NEEDING_JAVA = "texts that only Java can read"


class CaptionTargetStatistics(TargetStatistics):
    """The references of a corpus, batch by batch. One thread adds; finished, it may be read by many."""

    def __init__(self) -> None:
        self.why = ""
        """Why the references could not all be read."""
        self.plain = 0
        self.by_java = 0
        """How many captions were read here and by Java."""
        self.needing_java = 0
        """How many captions Java should have read."""
        self._blocks: dict[int, Block] = {}
        self._frequencies: Frequencies | None = None

    def add(self, truth: TextColumn, key: int = -1) -> None:
        """Take the references of the batch number `key`."""
        from sightline.scoring.metrics.captions.corpus import pack
        from sightline.scoring.metrics.captions.tokenizer import JavaMissing, count_needing_java, tokenize

        if self.why:
            self.needing_java += count_needing_java(truth)
            return
        tokens = tokenize(truth)
        if isinstance(tokens, JavaMissing):
            self.why, self.needing_java = tokens.why, self.needing_java + tokens.texts
            return
        self.by_java += tokens.words.by_java
        self.plain += len(truth) - tokens.words.by_java
        self._put(key, pack(tokens.words))

    def merge(self, other: CaptionTargetStatistics) -> None:
        """Take all that `other` has seen."""
        self.why = self.why or other.why
        self.plain += other.plain
        self.by_java += other.by_java
        self.needing_java += other.needing_java
        for key, block in other._blocks.items():
            self._put(key, block)

    def state_dict(self) -> dict[str, Any]:
        """The references as values and arrays."""
        blocks = [
            [key, block.offsets, block.ids, block.vocabulary, block.spaced] for key, block in self._blocks.items()
        ]
        counts = {name: getattr(self, name) for name in ("why", "plain", "by_java", "needing_java")}
        return {**counts, "blocks": blocks}

    def load_state_dict(self, state: Any) -> None:
        """Take the references of others. Raises `ValueError` where they are none.

        Kernels read these arrays without looking at bounds, so that all are looked at here.
        """
        from sightline.scoring.metrics.captions.corpus import validate_block

        found = validate_state(state, CaptionTargetStatistics().state_dict())
        blocks = {}
        for entry in found.pop("blocks"):
            require(type(entry) is list and len(entry) == 5 and type(entry[0]) is int)
            blocks[entry[0]] = validate_block(*entry[1:])
        for name, value in found.items():
            setattr(self, name, value)
        self._blocks, self._frequencies = blocks, None

    def _put(self, key: int, block: Block) -> None:
        if key < 0:
            key = min((*self._blocks, 0)) - 1
        self._blocks[key] = block
        self._frequencies = None

    @property
    def samples(self) -> int:
        """How many references there are."""
        return sum(map(len, self._blocks.values()))

    def words(self, key: int, samples: int) -> Words | None:
        """The references' words of a batch, where they were fitted."""
        block = self._blocks.get(key) if key >= 0 else None
        return block.words() if block is not None and len(block) == samples else None

    def frequencies(self) -> Frequencies:
        """In how many references each n-gram occurs; counted when first asked for."""
        from sightline.scoring.metrics.captions.corpus import count_documents

        with _COUNT_LOCK:
            if self._frequencies is None:
                self._frequencies = count_documents(list(self._blocks.values()))
            return self._frequencies


class UnscoredBatch(Struct, frozen=True):
    """A batch without target statistics: CIDEr has to wait until all references are known."""

    clusters: NDArray[np.uint64]
    weights: NDArray[np.float64]
    replies: Block
    truths: Block


def score_captions(batch: Batch, context: MetricContext | None = None) -> Values:
    """ROUGE-L over plain words, which needs no Java and no other sample."""

    def compare() -> Values:
        from sightline.scoring.metrics.captions.corpus import sample_rouge_scores

        return {"score": sample_rouge_scores(batch.reply, batch.truth)}

    return batch.compute_once("captions", compare)


class CaptionState(ColumnState):
    """COCO caption metrics of one reply and one reference per sample.

    Without target statistics the references added are the whole corpus.
    """

    input_kind: ClassVar[str] = "texts"
    takes_weights: ClassVar[bool] = True
    statistics_type: ClassVar[type[TargetStatistics] | None] = CaptionTargetStatistics
    excluded_from_state: ClassVar[tuple[str, ...]] = ("target_statistics", "with_meteor", "_open")

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
        self.why = self.target_statistics.why if self.target_statistics is not None else ""
        """Why captions can't be compared; empty where they can."""
        self.why_no_meteor = "" if self.with_meteor else NOT_WANTED
        self.plain = self.by_java = self.needing_java = 0
        """How many texts were read here, were read by Java, and should have been read by Java."""
        self.too_long = 0
        self._words = ClusterSums(2)
        self._in_range = ClusterSums(2)
        self._rouge = ClusterSums(2)
        self._cider = ClusterSums(2)
        self._bleu = ClusterSums(10)
        self._meteor = ClusterSums(6)
        self._kept: list[UnscoredBatch] = []
        self._open = False

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`. Of records, those that hold `references` take part: their `reply` against the first."""
        if scores.parsed is not None:
            return self.count(scores.parsed)
        if (batch := _batch_records(scores)) is not None:
            self.count(batch)
        return {}

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`; `score` is ROUGE-L over plain words."""
        from sightline.scoring.metrics.captions.tokenizer import count_needing_java, word_counts

        words = word_counts(batch.reply)
        self._count_words(batch, words)
        values: Values = {}
        if self.why:
            self.needing_java += count_needing_java(batch.reply)
        else:
            values = self._score_batch(batch)
        return {**score_captions(batch), **values, "words": words}

    def _count_words(self, batch: Batch, words: NDArray[np.int64]) -> None:
        each = np.ones(len(words))
        self._words.add(batch.clusters, np.column_stack((words, each)), batch.weights)
        if (asked := self.context.options.get("words")) is not None:
            low, high = asked
            fits = (words >= low) & (words <= high)
            self._in_range.add(batch.clusters, np.column_stack((fits, each)), batch.weights)

    def _score_batch(self, batch: Batch) -> Values:
        """Count the captions of a batch, and say what each sample got; nothing where they can't be read."""
        from sightline.scoring.metrics.captions.corpus import NO_FREQUENCIES, bleu, compare, pack

        read = self._read(batch)
        if read is None:
            return {}
        replies, truths, columns = read
        frequencies = self.target_statistics.frequencies() if self.target_statistics is not None else NO_FREQUENCIES
        scores = compare(replies, truths, frequencies)
        each, weights = np.ones(len(batch)), batch.weights
        self._rouge.add(batch.clusters, np.column_stack((scores.rouge, each)), weights)
        self._bleu.add(batch.clusters, scores.bleu, weights)
        values: Values = {"rouge_l": scores.rouge, "bleu4": bleu(scores.bleu)}
        if self.target_statistics is not None:
            self._cider.add(batch.clusters, np.column_stack((scores.cider, each)), weights)
            values["cider"] = scores.cider
        else:
            self._kept.append(
                UnscoredBatch(batch.clusters, each if weights is None else weights, pack(replies), pack(truths))
            )
        if columns is not None:
            from sightline.scoring.metrics.captions.meteor import meteor

            self._meteor.add(batch.clusters, columns, weights)
            values["meteor"] = meteor(columns)
        return values

    def _read(self, batch: Batch) -> tuple[Words, Words, NDArray[np.float64] | None] | None:
        """The words of replies and references, and METEOR's columns where they are wanted."""
        from sightline.scoring.metrics.captions.tokenizer import JavaMissing, tokenize

        self._hold()
        with_lines = self.with_meteor and not self.why_no_meteor
        fitted = None
        if self.target_statistics is not None and not with_lines:
            fitted = self.target_statistics.words(batch.key, len(batch))
        texts = (batch.reply, batch.truth) if fitted is None else (batch.reply,)
        tokens = []
        for side in [tokenize(column, with_lines) for column in texts]:
            if isinstance(side, JavaMissing):
                self.why = self.why or side.why
                self.needing_java += side.texts
            else:
                tokens.append(side)
        if len(tokens) < len(texts):
            return None
        for side in tokens:
            self.by_java += side.words.by_java
            self.plain += len(side.words) - side.words.by_java
        columns = self._align(*tokens) if with_lines else None
        return tokens[0].words, tokens[1].words if fitted is None else fitted, columns

    def _align(self, replies: Tokens, truths: Tokens) -> NDArray[np.float64] | None:
        from sightline.scoring.metrics.captions.java import Unavailable
        from sightline.scoring.metrics.captions.meteor import align

        assert replies.lines is not None and truths.lines is not None, "asked for with METEOR"
        aligned = align(replies.lines, truths.lines)
        if isinstance(aligned, Unavailable):
            self.why_no_meteor = aligned.why
            return None
        self.too_long += aligned.too_long
        return aligned.columns

    def merge(self, other: CaptionState) -> None:
        """See `MetricState`."""
        self.why = self.why or other.why
        self.why_no_meteor = self.why_no_meteor or other.why_no_meteor
        for name in ("plain", "by_java", "needing_java", "too_long"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("_words", "_in_range", "_rouge", "_cider", "_bleu", "_meteor"):
            getattr(self, name).merge(getattr(other, name))
        self._kept += other._kept

    def remarks(self) -> Mapping[str, int]:
        """See `ColumnState`: what could not be scored, and why."""
        found = {TOO_LONG: self.too_long}
        if self.why:
            of_targets = self.target_statistics.needing_java if self.target_statistics is not None else 0
            found[NEEDING_JAVA] = self.needing_java + of_targets
        return {text: count for text, count in found.items() if count}

    def _hold(self) -> None:
        if not self._open:
            self._open = True
            for pool in _pools():
                pool.hold()

    def close(self) -> None:
        """Let the Java processes go, unless another state uses them."""
        if self._open:
            self._open = False
            for pool in _pools():
                pool.release()

    def _estimate(self, sums: ClusterSums, statistic: Statistic, why: str = "", scale: Scale = "bounded") -> Estimate:
        why = self.why or why
        return Estimate(value=None, n=self._words.samples, reason=why) if why else sums.estimate(statistic, scale)

    def rouge_l(self) -> Estimate:
        """Mean of the samples' ROUGE-L."""
        return self._estimate(self._rouge, ratio)

    def bleu(self, order: int) -> Estimate:
        """BLEU of the corpus, from the sums over its samples."""
        from sightline.scoring.metrics.captions.corpus import bleu, has_all_orders

        # the official floor of a precision without any match is tiny and never varies: the interval takes it for 0
        found = self._estimate(self._bleu, lambda totals: bleu(totals, order) * has_all_orders(totals, order))
        return found if found.value != 0 else replace(found, value=float(bleu(self._bleu.totals(), order)))

    def meteor(self) -> Estimate:
        """METEOR of the corpus, from the sums over its samples."""
        from sightline.scoring.metrics.captions.meteor import meteor

        return self._estimate(self._meteor, meteor, self.why_no_meteor)

    def cider(self) -> Estimate:
        """Mean of the samples' CIDEr by the document frequencies of the whole corpus."""
        corpus = self.target_statistics.samples if self.target_statistics is not None else self._words.samples
        why = TOO_FEW if corpus < 2 and self._words.samples else ""
        sums = self._cider if self.target_statistics is not None or self.why or why else self._deferred_cider()
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
        first = (named[0] if named else None) if isinstance(named, list | tuple) else named
        if isinstance(first, str):
            reply = grade.values.get("reply") if grade.status == "answered" else ""
            rows.append(row)
            replies.append(reply if isinstance(reply, str) else "")
            references.append(first)
    if not rows:
        return None
    clusters = scores.samples.clusters[np.array(rows)]
    return Batch(TextColumn.of(references), TextColumn.of(replies), np.ones(len(rows), np.bool_), clusters)


def _pools() -> tuple[Any, ...]:
    from sightline.scoring.metrics.captions.meteor import NORMALIZERS
    from sightline.scoring.metrics.captions.tokenizer import TOKENIZERS

    return TOKENIZERS, NORMALIZERS


CIDER = Metric(name="cider", title="CIDEr", state=CaptionState, compute=CaptionState.cider, unit="number")
ROUGE_L = Metric(name="rouge_l", title="ROUGE-L", state=CaptionState, compute=CaptionState.rouge_l, is_mean=True)
BLEU4 = Metric(name="bleu4", title="BLEU-4", state=CaptionState, compute=lambda state: state.bleu(4))
BLEU = Metric(name="bleu", title="BLEU-4", state=CaptionState, compute=lambda state: state.bleu(4))
BLEU1 = Metric(name="bleu1", title="BLEU-1", state=CaptionState, compute=lambda state: state.bleu(1))
METEOR = Metric(name="meteor", title="METEOR", state=CaptionState, compute=CaptionState.meteor)
LENGTH_IN_RANGE = Metric(
    name="length_in_range", title="Length in range", state=CaptionState, compute=CaptionState.length_in_range
)
MEAN_WORDS = Metric(
    name="mean_words", title="Words a reply", state=CaptionState, compute=CaptionState.mean_words, unit="number"
)

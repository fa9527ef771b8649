"""The caption metrics, by name."""

from __future__ import annotations

from sightline.scoring.metrics.captions.state import CaptionState
from sightline.scoring.metrics.state import Metric

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

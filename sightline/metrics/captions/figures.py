"""The caption figures by name."""

from __future__ import annotations

from sightline.metrics.captions.tally import CaptionTally
from sightline.metrics.tally import Figure

CIDER = Figure(name="cider", title="CIDEr", tally=CaptionTally, read=CaptionTally.cider, unit="number")
ROUGE_L = Figure(name="rouge_l", title="ROUGE-L", tally=CaptionTally, read=CaptionTally.rouge_l, is_mean=True)
BLEU4 = Figure(name="bleu4", title="BLEU-4", tally=CaptionTally, read=lambda tally: tally.bleu(4))
BLEU1 = Figure(name="bleu1", title="BLEU-1", tally=CaptionTally, read=lambda tally: tally.bleu(1))
METEOR = Figure(name="meteor", title="METEOR", tally=CaptionTally, read=CaptionTally.meteor)
LENGTH_IN_RANGE = Figure(
    name="length_in_range", title="Length in range", tally=CaptionTally, read=CaptionTally.length_in_range
)
MEAN_WORDS = Figure(
    name="mean_words", title="Words a reply", tally=CaptionTally, read=CaptionTally.mean_words, unit="number"
)

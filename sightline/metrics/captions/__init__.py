"""Caption metrics that equal the COCO caption code: CIDEr, ROUGE-L, BLEU and METEOR over columns of texts."""

from sightline.metrics.captions.survey import CaptionSurvey
from sightline.metrics.captions.tally import CaptionTally

__all__ = ["CaptionSurvey", "CaptionTally"]

"""Caption metrics that equal the COCO caption code: CIDEr, ROUGE-L, BLEU and METEOR over columns of texts."""

from sightline.scoring.metrics.captions.state import CaptionState
from sightline.scoring.metrics.captions.survey import CaptionSurvey

__all__ = ["CaptionState", "CaptionSurvey"]

"""METEOR 1.5: words that match are aligned and counted, and the formula is applied to the counts.

The counts are the official program's to the last one; they can be added, and the corpus score comes from their sums,
not from the mean of the samples' scores. The program's tables are read from its own jar, without Java.
"""

from __future__ import annotations

from sightline.scoring.metrics.captions.meteor.alignment import Aligned, align, warm_up
from sightline.scoring.metrics.captions.meteor.formula import columns, meteor

__all__ = ["Aligned", "align", "columns", "meteor", "warm_up"]

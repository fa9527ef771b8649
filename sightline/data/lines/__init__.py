"""Index of JSON-lines and JSON files of any size: byte spans of selected fields as columns, texts read on demand.

with index_file(Path("annotations.txt"), ["gt", "source"], rename={"ground_truth": "gt"}) as index:
    index.texts("gt", np.arange(1000)), index.lines, index.fault_counts
"""

from sightline.data.lines.index import FAULT_KINDS, Fault, LineIndex, hash_texts
from sightline.data.lines.scanning import index_file

__all__ = ["FAULT_KINDS", "Fault", "LineIndex", "hash_texts", "index_file"]

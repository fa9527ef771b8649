"""Compiled comparison of sets of labels and lists of indices. Importing this module imports Numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.scoring.parsers.columns.number_kernels import compiled


@compiled
def hits(truth_at: Any, truth: Any, reply_at: Any, reply: Any) -> Any:
    """Which true labels the reply of their sample has; the labels of a sample ascend."""
    found = np.zeros(len(truth), np.bool_)
    for row in range(len(truth_at) - 1):
        k, stop = reply_at[row], reply_at[row + 1]
        for j in range(truth_at[row], truth_at[row + 1]):
            while k < stop and reply[k] < truth[j]:
                k += 1
            found[j] = k < stop and reply[k] == truth[j]
    return found


@compiled
def compared(truth_at: Any, truth: Any, reply_at: Any, reply: Any) -> Any:
    """Of each sample: whether the lists are equal, recall, precision and F1 of the sets, reciprocal rank."""
    table = np.zeros((len(truth_at) - 1, 5))
    for row in range(len(table)):
        true, given = truth[truth_at[row] : truth_at[row + 1]], reply[reply_at[row] : reply_at[row + 1]]
        table[row, 0] = len(true) == len(given) and (true == given).all()
        if len(true) == 0 or len(given) == 0:
            table[row, 1:] = 1.0 if len(true) == len(given) else 0.0
            continue
        wanted, said = np.unique(true), np.unique(given)
        common, k = 0, 0
        for one in said:
            while k < len(wanted) and wanted[k] < one:
                k += 1
            common += k < len(wanted) and wanted[k] == one
        table[row, 1], table[row, 2] = common / len(wanted), common / len(said)
        table[row, 3] = 2 * common / (len(wanted) + len(said))
        if common:
            for rank in range(len(given)):
                place = np.searchsorted(wanted, given[rank])
                if place < len(wanted) and wanted[place] == given[rank]:
                    table[row, 4] = 1 / (rank + 1)
                    break
    return table

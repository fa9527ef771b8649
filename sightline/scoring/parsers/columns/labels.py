"""Labels: exactly one, or a set of them as `car;truck`."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from msgspec import field

from sightline.data.columns import Hashes, Labels, Offsets, ParsedColumn, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.label_hash import fold_label, fold_labels, label_code
from sightline.scoring.parsers.columns.label_kernels import read_labels, sort_unique
from sightline.scoring.parsers.columns.normalize import normalize_texts
from sightline.scoring.parsers.columns.reasons import REASONS, SEVERAL_LABELS, UNKNOWN_LABEL


class LabelParser(ColumnParser, frozen=True, kw_only=True, dict=True):
    """Labels between `;` `,` `、` or line breaks (full-width ones too), compared as `fold_label` spells them."""

    kind: ClassVar[str] = "labels"
    single: bool = False
    """Exactly one label must be there; the same one twice is one."""
    mapping: dict[str, str] = field(default_factory=dict)
    """Labels to be taken for others, such as `car` for `vehicle`; empty: none."""
    allowed: frozenset[str] = frozenset()
    """The only labels there are, after `mapping`; empty: any."""

    @cached_property
    def _unified(self) -> dict[str, str]:
        return {fold_label(label): fold_label(unified) for label, unified in self.mapping.items()}

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(map(fold_label, self.allowed))

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        texts = normalize_texts(texts, fold_labels)
        size = int(texts.lengths().sum())
        most = size // 2 + len(texts) + 1
        out = (np.empty(size, np.uint8), np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.uint64))
        offsets, errors = read_labels((texts.data, texts.starts, texts.stops), out)
        n = int(offsets[-1])
        unique_codes, first, which = np.unique(out[3][:n], return_index=True, return_inverse=True)
        spans = zip(out[1][first].tolist(), out[2][first].tolist(), strict=True)
        names = [out[0][start:stop].tobytes().decode("utf-8", "replace") for start, stop in spans]
        codes = out[3][:n]
        if self.mapping:
            names = [self._unified.get(name, name) for name in names]
            unique_codes = np.array([label_code(name) for name in names], np.uint64)
            codes = unique_codes[which]
        if self.allowed:
            unknown = np.array([name not in self._known for name in names], np.bool_)[which]
            errors[np.repeat(np.arange(len(texts)), np.diff(offsets))[unknown]] = UNKNOWN_LABEL
        return self._read(*sort_unique(offsets, codes), errors, dict(zip(unique_codes.tolist(), names, strict=True)))

    def _read(self, offsets: Offsets, codes: Hashes, errors: Any, names: dict[int, str]) -> ParsedColumn:
        sizes = np.diff(offsets)
        if self.single:
            errors[(sizes > 1) & (errors == 0)] = SEVERAL_LABELS
        if (errors != 0).any():
            kept_sizes = np.where(errors == 0, sizes, 0)
            codes = codes[np.repeat(errors == 0, sizes)]
            offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(kept_sizes)))
        return ParsedColumn(Labels(offsets, codes, names), errors, REASONS)

    def value(self, values: Any) -> Any:
        """The label, or all of them in the order of the alphabet."""
        names = sorted(values.names[code] for code in values.codes.tolist())
        return names[0] if self.single else names


LABEL = LabelParser(single=True)
LABELS = LabelParser()

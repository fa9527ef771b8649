"""Compile the rules of the caption tokenizer into the table that the package reads.

    python tools/caption_automaton.py

To be run after every change of `ptb_rules.py` or `ptb_characters.py`; a test finds it where this was forgotten.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sightline.scoring.metrics.captions.ptb_rules import compile_automaton
from sightline.scoring.metrics.captions.tokenizer import TABLE


def main() -> None:
    tables = compile_automaton()
    np.savez_compressed(TABLE, classes=tables.classes, moves=tables.moves, actions=tables.actions)
    print(f"{len(tables.actions):,} states, {tables.moves.shape[1]} classes, {TABLE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

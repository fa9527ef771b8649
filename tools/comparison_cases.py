"""Fixed data, fixed replies and the ways to score them, for `compare_figures.py`.

The old version generates data sets from fixed seeds and runs a baseline model on them; its replies are then mixed with
empty, unparsable, truncated, refused, failed and missing ones. The choice depends on a hash of the sample's id alone.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

SUITES = ("remote-sensing", "structural", "simulation", "matrix")  # the slowest first
REAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
EXIT_CODES_WITH_REPORT = (0, 1, 3)  # 1: below a threshold, 3: some samples have no reply

Annotations = dict[str, list[dict[str, Any]]]


class Version:
    """One checkout of Sightline, run in subprocesses."""

    def __init__(self, name: str, checkout: Path, work: Path) -> None:
        self.name = name
        self.folder = work / name
        self.folder.mkdir(parents=True)
        self._environment = {k: v for k, v in os.environ.items() if not k.startswith(("SIGHTLINE_", "OPENAI_"))}
        self._environment["PYTHONPATH"] = os.pathsep.join([str(checkout), str(self._write_metadata(checkout))])
        location = self.run("-c", "import sightline; print(sightline.__file__)").stdout.strip()
        if not Path(location).is_relative_to(checkout):
            sys.exit(f"{checkout} is not the package that is imported: {location}")
        self._commands = set(re.findall(r"^  (\w+)  ", self.run("-m", "sightline", "--help").stdout, re.MULTILINE))

    def _write_metadata(self, checkout: Path) -> Path:
        """Write the entry points of the checkout: those of the installed package name modules of another version."""
        project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
        folder = self.folder / "metadata"
        info = folder / f"sightline-{project['version']}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: sightline\nVersion: {project['version']}\n")
        groups = {**project.get("entry-points", {}), "console_scripts": project.get("scripts", {})}
        lines = [
            f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items())
            for group, entries in groups.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")
        return folder

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python with this version of the package."""
        command = [sys.executable, *arguments]
        done = subprocess.run(  # noqa: S603  # commands of this file
            command, cwd=self.folder, env=self._environment, capture_output=True, text=True, check=False
        )
        if done.returncode not in EXIT_CODES_WITH_REPORT or "Traceback" in done.stderr:
            text = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
            raise RuntimeError(f"{self.name}: {' '.join(command)} ended with {done.returncode}:\n{text}")
        return done

    def sightline(self, *arguments: str) -> None:
        """Run the command line."""
        self.run("-m", "sightline", *arguments)

    def regrade(self, run: Path) -> None:
        """Grade a run folder again."""
        self.sightline("regrade" if "regrade" in self._commands else "score", str(run))


@dataclass
class Way:
    """One way of scoring fixed replies: a run folder to grade again, a command line, or pairs for `score_one`."""

    suite: str
    name: str
    run_folder: Path | None = None
    command: tuple[str, ...] = ()
    pairs: Path | None = None

    @property
    def title(self) -> str:
        """`suite/way`, as in the output."""
        return f"{self.suite}/{self.name}"

    def score(self, version: Version) -> Path:
        """Score with a version, and return the folder that it wrote to."""
        folder = version.folder / self.suite / self.name
        folder.mkdir(parents=True)
        if self.run_folder:
            version.regrade(Path(shutil.copytree(self.run_folder, folder / "run")))
        elif self.pairs:
            version.run("-c", SCORE_ONE, str(self.pairs), str(folder / "score_one.json"))
        else:
            version.sightline(*self.command, "--output-dir", str(folder / "models"))
        return folder


SCORE_ONE = """
import json, sys, sightline
pairs = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
scores = {p["sample_id"]: sightline.score_one(gt=p["gt"], output=p["model_output"], task=p["task"]) for p in pairs}
json.dump(scores, open(sys.argv[2], "w", encoding="utf-8"))
"""


def draw(text: str, count: int) -> int:
    """Draw a number below `count` that depends on the text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % count


def mix_text(text: str, identity: str) -> str:
    """Replace some replies by empty, unparsable, halved or wrapped ones."""
    reasoned = f"<think>\n{text[::-1]}\n</think>\n  {text} .\n"
    others = ("", "I cannot tell from the picture.", text[: len(text) // 2], reasoned, f"```json\n{text}\n```")
    return dict(enumerate(others)).get(draw(f"text {identity}", 20), text)


def mix_journal(path: Path, is_failing: bool, replies: dict[str, str] | None = None) -> None:
    """Edit a journal: other texts, truncated and refused replies; failed and missing ones where `is_failing`."""
    lines = read_lines(path)
    last_attempts = {line["sample"]: line.get("attempt", 1) for line in lines}
    mixed, ended = [], set()
    for line in lines:
        sample, attempt = line["sample"], line.get("attempt", 1)
        identity = f"{sample} {attempt} {line.get('turn', 1)}"
        if sample in ended:  # nothing is asked after a failure
            continue
        if replies:
            line["text"] = replies[sample]
        if attempt == last_attempts[sample]:  # feedback follows from earlier ones
            line["text"] = mix_text(line.get("text", ""), identity)
            chance = draw(f"stop {identity}", 24)
            if chance in (0, 1):
                line["stop"] = "truncated"
            elif chance == 2:
                line |= {"stop": "refused", "text": ""}
            elif chance in (3, 4, 5) and is_failing:
                ended.add(sample)
                if chance == 5:
                    continue
                kept = {k: v for k, v in line.items() if k in ("position", "sample", "attempt", "turn")}
                line = {"type": "failure", **kept, "kind": "timeout", "message": "timeout", "final": True, "tries": 6}
        mixed.append(line)
    write_lines(path, mixed)


def move_coordinates(text: str, scale_x: float, scale_y: float, jitter: int, digits: int = 0) -> str:
    """Scale the coordinates in a reply such as `<box><1><2><3><4></box>`, each moved by up to `jitter` first."""
    count = 0

    def move(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        shift = draw(f"{text} {count}", 2 * jitter + 1) - jitter
        value = round((float(match[1]) + shift) * (scale_x if count % 2 else scale_y), digits)
        return f"<{value:.{digits}f}>"

    return re.sub(r"<(-?\d+(?:\.\d+)?)>", move, text)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    """Write a file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


def pad_picture(text: str, width: int, height: int) -> str:
    """Enlarge a picture in base64 to the right and below: coordinates in pixels stay, relative ones change."""
    padded = Image.new("RGB", (width, height))
    padded.paste(Image.open(io.BytesIO(base64.b64decode(text))).convert("RGB"), (0, 0))
    file = io.BytesIO()
    padded.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


class Preparation:
    """Fixed data and replies, made with the old version; `ways` collects how they can be scored."""

    def __init__(self, old: Version, work: Path) -> None:
        self.ways: list[Way] = []
        self._old = old
        self._data, self._runs, self._replies = work / "data", work / "runs", work / "replies"
        self._data.mkdir()
        self._replies.mkdir()

    def add_suite(self, suite: str) -> None:
        """Prepare the data of a suite and all ways to score it."""
        getattr(self, f"_add_{suite.replace('-', '_')}")()

    def _generate(self, suite: str, count: int, *options: str) -> Path:
        out = self._data / suite
        self._old.sightline("generate", suite, "--count", str(count), "--seed", "11", "--out", str(out), *options)
        return out

    def _add_run(
        self,
        suite: str,
        name: str,
        data: Path,
        *options: str,
        is_failing: bool = True,
        replies: dict[str, str] | None = None,
    ) -> Path:
        """Run a baseline model that is right half of the time, mix its journal, and return the journal."""
        folder = self._runs / suite / name
        model = ("--model", "baseline/perturbed:0.5", "--output-dir", str(folder))
        self._old.sightline("run", suite, "--data", str(data), *model, *options)
        (journal,) = folder.glob("*/journal.jsonl")
        mix_journal(journal, is_failing, replies)
        self.ways.append(Way(suite, name, run_folder=journal.parent))
        return journal

    def _add_replies(self, suite: str, data: Path, journal: Path, *options: str) -> None:
        """Save the answers of a journal as replies, which both versions take through their whole inference."""
        path = self._replies / f"{suite}.jsonl"
        answers = [line for line in read_lines(journal) if line["type"] == "answer" and line.get("turn", 1) == 1]
        write_lines(path, [{"sample": line["sample"], "text": line.get("text", "")} for line in answers])
        command = ("score", "--suite", suite, "--replies", str(path), "--data", str(data), *options)
        self.ways.append(Way(suite, "replies", command=command))

    def _add_structural(self) -> None:
        """Drawings, with and without feedback, by both rules of scoring, sampled, and the real models."""
        data = self._generate("structural", 60)
        journal = self._add_run("structural", "run", data)
        self._add_run("structural", "feedback", data, "--max-retries", "2")
        self._add_run("structural", "sorted-reactions", data, "--scoring", "structural-eval-v1")
        self._add_run("structural", "sampled", data, "--sample", "30", "--stratify", "category,difficulty")
        self._add_replies("structural", data, journal)
        if real := find_real_data("structural-eval"):
            copy = Path(shutil.copytree(real, self._data / "structural-eval", copy_function=shutil.copyfile))
            copy.chmod(0o755)
            (copy / "images").mkdir(exist_ok=True)
            for model in (copy / "raw_models").glob("*.json"):  # not asked without one, but no baseline looks at it
                Image.new("RGB", (8, 8)).save(copy / "images" / f"{model.stem}.png")
            self._add_run("structural", "real", copy, "--seed", "3", "--max-retries", "1")

    def _add_simulation(self) -> None:
        """Images, reports and videos, by votes of frames and by all frames at once, sampled, and the real questions."""
        data = self._generate("simulation", 8, "--fields", "exact")
        modality = ("--modality", "all")
        journal = self._add_run("simulation", "run", data, *modality)
        self._add_run("simulation", "frames", data, "--modality", "video", "--video-mode", "frames")
        self._add_run("simulation", "sampled", data, *modality, "--sample", "90", "--stratify", "task,modality")
        self._add_replies("simulation", data, journal, *modality)
        if real := find_real_data("seesim"):
            self._add_run("simulation", "real", real, *modality)

    def _add_matrix(self) -> None:
        """All twelve kinds at all levels, by both rules, sampled."""
        data = self._generate("matrix", 96)
        journal = self._add_run("matrix", "run", data)
        self._add_run("matrix", "seed-rules", data, "--metric-rules", "seed")
        self._add_run("matrix", "sampled", data, "--sample", "40", "--stratify", "dimension,difficulty")
        self._add_replies("matrix", data, journal)

    def _add_remote_sensing(self) -> None:
        """All 19 tasks: runs, files of several models, engines, coordinate spaces, single samples."""
        suite = "remote-sensing"
        data = self._generate(suite, 12, "--size", "256")
        journal = self._add_run(suite, "run", data, is_failing=False)
        self._add_run(suite, "run-failed", data)
        self._add_run(suite, "run-sampled", data, "--sample", "120", is_failing=False)
        self._add_replies(suite, data, journal)

        annotations = {path.stem: read_lines(path) for path in sorted((data / "anno").glob("*.txt"))}
        moved = self._write_outputs("moved", annotations, 1, 1)
        self._add_pairs(annotations, moved)
        min(moved.iterdir()).unlink()  # its samples are pending
        scored = self._write_outputs("scored", annotations, 1, 1, is_scored=True)
        self._add_files("files", data / "anno", data / "output", moved, scored)
        for engine in ("serial", "processes"):
            options = ("--engine", engine, "--workers", "2", "--batch-size", "32")
            self._add_files(engine, data / "anno", data / "output", options=options)

        width, height = 320, 288  # not square, so that a mistaken axis shows
        annotations = {name: lines for name, lines in annotations.items() if any("<" in row["gt"] for row in lines)}
        rows = [row for lines in annotations.values() for row in lines]
        for row in rows:
            is_list = isinstance(row["frames"], list)
            padded = [pad_picture(frame, width, height) for frame in (row["frames"] if is_list else [row["frames"]])]
            row["frames"] = padded if is_list else padded[0]
        wide = self._write_annotations("wide", annotations)
        fine = self._write_outputs("0-1", annotations, 1 / width, 1 / height, digits=4)
        self._add_files("coords-0-1", wide, fine, options=("--coords", "0-1"))
        coarse = self._write_outputs("0-1000", annotations, 1000 / width, 1000 / height)
        self._add_files("coords-0-1000", wide, coarse, options=("--coords", "0-1000"))
        replies = {row["sample_id"]: row["model_output"] for path in coarse.iterdir() for row in read_lines(path)}
        self._add_run(suite, "run-coords", wide, "--coords", "0-1000", is_failing=False, replies=replies)
        for row in rows:
            row["gt"] = move_coordinates(row["gt"], 100 / width, 100 / height, 0, 2)
        relative = self._write_annotations("relative", annotations)
        self._add_files("truth-coords", relative, moved, options=("--truth-coords", "0-100", "--coords", "pixels"))

    def _write_annotations(self, name: str, annotations: Annotations) -> Path:
        for stem, lines in annotations.items():
            write_lines(self._data / name / f"{stem}.txt", lines)
        return self._data / name

    def _add_files(self, name: str, annotations: Path, *models: Path, options: tuple[str, ...] = ()) -> None:
        outputs = [option for model in models for option in ("--model-result-path", f"{model.name}={model}")]
        command = ("score", "--anno-path", str(annotations), *outputs, *options)
        self.ways.append(Way("remote-sensing", name, command=command))

    def _write_outputs(
        self,
        name: str,
        annotations: Annotations,
        scale_x: float,
        scale_y: float,
        digits: int = 0,
        is_scored: bool = False,
    ) -> Path:
        """Write the outputs of a model whose shapes are a little off; with `is_scored`, each has a confidence."""
        for stem, lines in annotations.items():
            outputs = []
            for line in lines:
                identity = line["sample_id"]
                text = mix_text(move_coordinates(line["gt"], scale_x, scale_y, 2, digits), f"{name} {identity}")
                if is_scored:
                    score = f"<score>0.{draw(text, 90) + 10}</score>"
                    text = re.sub(r"</(?:box|quad|poly)>", rf"\g<0>{score}", text)
                outputs.append({"sample_id": identity, "model_output": text})
            write_lines(self._replies / name / f"{stem}_output.txt", outputs)
        return self._replies / name

    def _add_pairs(self, annotations: Annotations, outputs: Path) -> None:
        pairs = []
        for stem, lines in annotations.items():
            both = zip(lines, read_lines(outputs / f"{stem}_output.txt"), strict=True)
            pairs += [{**line, **output, "frames": ""} for line, output in both][::4]
        write_lines(self._replies / "pairs.jsonl", pairs)
        self.ways.append(Way("remote-sensing", "score-one", pairs=self._replies / "pairs.jsonl"))


def find_real_data(name: str) -> Path | None:
    """Find a folder of the real data sets, which lie beside the checkout where they are there."""
    return REAL_DATA / name if (REAL_DATA / name).is_dir() else None

"""Importers of question files on remote-sensing images: VRSBench, GeoChat-Bench, RSVQA.

Replies are read from JSON lines or arrays with a question's id and the answer, as the scripts of these sets write them.
"""

from __future__ import annotations

import re
import sqlite3
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sightline.core.errors import DataError
from sightline.core.remarks import Remark
from sightline.core.task_table import TaskTable
from sightline.data.media import image_size
from sightline.interop.importer import FieldMapping, Importer, Row, as_text, known_tasks, task_settings
from sightline.interop.importers.detection import find_picture_name, format_shape, format_shapes, parse_numbers
from sightline.interop.readers import Record, list_files, read_json_records, read_pictures, stream_json

REPLY_FIELDS = {
    "sample_id": ("question_id", "sample_id", "id"),
    "model_output": ("answer", "prediction", "model_output", "response", "output"),
}
Location = tuple[Path, int | str]
_WORDS = "image classification"
"""Pattern of tasks with answers in words: a label, or several of them as a set."""


class LookupTable:
    """Text values by text keys in a temporary SQLite file, so that memory does not grow with their number."""

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / f".{name}.sqlite"
        self._path.unlink(missing_ok=True)
        self._database = sqlite3.connect(self._path)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("CREATE TABLE entry (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")

    def add(self, key: str, value: str) -> bool:
        """Add an entry; returns False, and changes nothing, if the key exists."""
        return self._database.execute("INSERT OR IGNORE INTO entry VALUES (?, ?)", (key, value)).rowcount == 1

    def get(self, key: str) -> str | None:
        """Return the value of a key; None if there is none."""
        row = self._database.execute("SELECT value FROM entry WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def close(self) -> None:
        """Close and delete the database."""
        self._database.close()
        self._path.unlink(missing_ok=True)


class QuestionImporter(Importer):
    """Base class: questions of one or several files, and replies of `--results` by question id."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._tasks: dict[str, Any] = {}

    @abstractmethod
    def files(self, source: Path) -> list[Path]:
        """List the files of questions; each becomes an annotation file."""

    @abstractmethod
    def questions(self, path: Path) -> Iterator[tuple[Location, Row]]:
        """Yield the questions of a file, each with its place in it."""

    def picture_folder(self, source: Path) -> Path | None:
        """The folder of the images: `--images`, or where the data set keeps them if it is there."""
        return self.options.images

    @cached_property
    def _known(self) -> TaskTable:
        return known_tasks()

    def tasks(self) -> Mapping[str, Any]:
        """The tasks of the questions that are none of the known ones."""
        return self._tasks

    def rows(self, source: Path) -> Iterator[Row]:
        """Yield questions, then replies."""
        self._pictures_below = self.picture_folder(source)
        paths = self.files(source)
        sheets = [path.stem for path in paths] if len(paths) > 1 else [""]
        known = LookupTable(self.options.scratch, "questions")
        self._example_id = ""
        try:
            for path, sheet in zip(paths, sheets, strict=True):
                for location, row in self.questions(path):
                    row = replace(row, sheet=row.sheet or sheet)
                    self._example_id = self._example_id or row.id[:200]
                    if known.add(f"{sheet}\n{row.id}", "\n".join((row.sheet, row.task, row.source))):
                        yield row
                    else:
                        self.faults.add(*location, Remark("duplicate id '{name}'", {"name": row.id[:200]}))
            if self.options.results is not None:
                for path in list_files(self.options.results, (".json", ".jsonl")):
                    yield from self._replies(path, sheets, known)
        finally:
            known.close()

    def _replies(self, path: Path, sheets: Sequence[str], known: LookupTable) -> Iterator[Row]:
        sheet = max((name for name in sheets if name in path.stem), key=len, default=None)
        if sheet is None:
            self.faults.add(path, 1, Remark("the file name matches none of the benchmarks"))
            return
        fields = FieldMapping(REPLY_FIELDS, self.options.fields)
        for where, record in read_json_records(path, self.faults):
            name, reply = fields.text(record, "sample_id"), fields.text(record, "model_output")
            if name is None or reply is None:
                self.faults.add(path, where, Remark("the entry has no question id or no answer"))
            elif (facts := known.get(f"{sheet}\n{name}")) is None:
                names = {"name": name[:200], "example": self._example_id}
                self.faults.add(
                    path, where, Remark("there is no question '{name}'; ids are such as '{example}'", names)
                )
            elif not known.add(f"{sheet}\n{name}\nreply", ""):
                self.faults.add(path, where, Remark("duplicate id '{name}'", {"name": name[:200]}))
            else:
                row_sheet, task, row_source = facts.split("\n", 2)
                yield Row(id=name, reply=reply, task=task, source=row_source, sheet=row_sheet)

    def task_named(self, name: str, pattern: str, **changes: Any) -> str:
        """Return `--task`, or a task of this name with the settings of a known one, which is created if need be."""
        if not self.options.task and name not in self._tasks:
            self._tasks[name] = task_settings(self._known.find(pattern), **changes)
        return self.options.task or name

    def known_task(self, name: str) -> str:
        """Return `--task`, or the name of a known task."""
        return self.options.task or self._known.find(name).name

    def load_pictures(self, *names: str) -> tuple[bytes, ...]:
        """Read the images of a question, if they are to be embedded."""
        folder = self._pictures_below
        return read_pictures(folder, names, self.faults) if folder is not None and self.options.frames else ()


def measure(pictures: Sequence[bytes], default: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the size of the first image; the default if there is none."""
    return (image_size(pictures[0]) if pictures else None) or default


VRSBENCH_SIDE = 512
"""All images of VRSBench are 512 pixels wide and high."""
_VRSBENCH_FIELDS = ("question_id", "image_id", "question", "ground_truth", "type")
_PERCENT_BOX = re.compile(r"\s*\{?" + r"<([^<>]{1,24})>" * 4 + r"\}?\s*")
_NUMBER = re.compile(r"[0-9]{1,12}")


class VrsBenchImporter(QuestionImporter):
    """`VRSBench_EVAL_*.json`: referring expressions with boxes in whole per cent, captions, questions by type."""

    title = "VRSBench evaluation files (JSON)"

    def files(self, source: Path) -> list[Path]:
        """One file, or all of a folder."""
        return list_files(source, (".json", ".jsonl"))

    def questions(self, path: Path) -> Iterator[tuple[Location, Row]]:
        """The entries of one file; `type` decides what they are."""
        for where, record in read_json_records(path, self.faults):
            if missing := [field for field in _VRSBENCH_FIELDS if as_text(record.get(field)) is None]:
                self.faults.add(path, where, Remark("the entry has no {field}", {"field": missing[0]}))
            elif (row := self._row((path, where), record)) is not None:
                yield (path, where), row

    def _row(self, location: Location, record: Record) -> Row | None:
        name, picture, question, truth, kind = (as_text(record[field]) or "" for field in _VRSBENCH_FIELDS)
        pictures = self.load_pictures(picture)
        size = measure(pictures, (VRSBENCH_SIDE, VRSBENCH_SIDE)) or (VRSBENCH_SIDE, VRSBENCH_SIDE)
        kind = kind.strip().lower()
        gt: str | None = truth.strip()
        if kind == "ref":
            gt = self._box(location, record, truth, size)
            task = self._grounding_task(record)
            question = (
                f"Locate the one object that this sentence describes: {question}\n"
                "Answer with its box in pixels as <box><x1><y1><x2><y2></box>."
            )
        elif kind == "caption":
            task = self.known_task("detailed caption")
        else:
            task = self._question_task(kind, truth)
            question += "\nAnswer the question using a single word or phrase."
        if gt is None:
            return None
        return Row(id=name, truth=gt, task=task, question=question, source=picture, pictures=pictures, size=size)

    def _box(self, location: Location, record: Record, truth: str, size: tuple[int, int]) -> str | None:
        match = _PERCENT_BOX.fullmatch(truth)
        box = parse_numbers(match.groups(), 4) if match else None
        if box is None:
            self.faults.add(*location, Remark("the truth is not a box of four numbers in per cent"))
            return None
        shares = [value / 100 for value in box]
        if shares[2] <= shares[0] or shares[3] <= shares[1]:
            corners = parse_numbers(record.get("obj_corner"), 8)
            if corners is None:
                self.faults.add(*location, Remark("the box has no area"))
                return None
            self.faults.note(Remark("{count} boxes have no area in whole per cent: obj_corner was used instead."))
            limited = [min(max(value, 0.0), 1.0) for value in corners]
            shares = [min(limited[::2]), min(limited[1::2]), max(limited[::2]), max(limited[1::2])]
        return format_shape("box", [share * side for share, side in zip(shares, (*size, *size), strict=True)])

    def _grounding_task(self, record: Record) -> str:
        unique = record.get("is_unique", record.get("unique"))
        if unique is None:
            return self.known_task("visual grounding")
        is_unique = str(unique).strip().lower() in ("true", "1", "yes")
        return self.task_named(f"grounding, {'unique' if is_unique else 'not unique'}", "visual grounding")

    def _question_task(self, kind: str, truth: str) -> str:
        if kind == "object existence" and truth.strip().lower().rstrip(".") in ("yes", "no"):
            return self.task_named(kind, "presence question")
        if kind == "object quantity" and _NUMBER.fullmatch(truth.strip()):
            return self.task_named(kind, "count question")
        in_words = ", in words" if kind in ("object existence", "object quantity") else ""
        return self.task_named(f"{kind}{in_words}", _WORDS)


GEOCHAT_SIDES = {"FAST": 600, "SIOR": 800, "SOTA": 1024}
"""Sides of the images by the part of SAMRS that they come from, in pixels."""


class GeoChatBenchImporter(QuestionImporter):
    """JSON lines: referring.jsonl, region_captioning.jsonl, UCmerced.jsonl, aid.jsonl, and VQA files with truths."""

    title = "GeoChat-Bench question files (JSON lines)"

    def files(self, source: Path) -> list[Path]:
        """One file, or all of a folder."""
        return list_files(source, (".jsonl", ".json"))

    def questions(self, path: Path) -> Iterator[tuple[Location, Row]]:
        """The lines of one file; their fields decide what they are."""
        for where, record in read_json_records(path, self.faults):
            name = as_text(record.get("question_id"))
            if name is None:
                self.faults.add(path, where, Remark("the entry has no {field}", {"field": "question_id"}))
            elif (row := self._row((path, where), name, record)) is not None:
                yield (path, where), row

    def _row(self, location: Location, name: str, record: Record) -> Row | None:
        truth = next((record[key] for key in ("ground_truth", "gt") if record.get(key) is not None), None)
        if isinstance(truth, list):
            return self._referring(location, name, record, truth)
        question, picture = as_text(record.get("text")), as_text(record.get("image"))
        if "image_id" in record and question is None:
            return self._region_caption(location, name, record, as_text(truth))
        if question is None or picture is None:
            self.faults.add(*location, Remark("the entry has no image or no question"))
            return None
        kind = (as_text(record.get("type")) or as_text(record.get("category")) or "").strip().lower()
        if "/" in name:
            # the folder of the image is the class, as the set's own script takes it
            label = _spell_as_option(name.partition("/")[0], question)
            task = self.known_task("image classification")
        elif truth is None:
            why = Remark("the line has no truth; GeoChat-Bench leaves it to RSVQA: import its files with format rsvqa")
            self.faults.add(*location, why)
            return None
        else:
            label = (as_text(truth) or "").strip()
            task = self._question_task(kind, label)
        pictures = self.load_pictures(picture)
        return Row(
            id=name,
            truth=label,
            task=task,
            question=question,
            source=picture,
            pictures=pictures,
            size=measure(pictures, None),
        )

    def _question_task(self, kind: str, truth: str) -> str:
        if truth.lower() in ("yes", "no"):
            return self.task_named(kind or "question", "presence question")
        if _NUMBER.fullmatch(truth):
            return self.task_named(f"{kind or 'question'}, numbers", "count question")
        return self.task_named(f"{kind or 'question'}, in words", _WORDS)

    def _referring(self, location: Location, name: str, record: Record, truth: list[Any]) -> Row | None:
        corners = [parse_numbers(_flatten(quad), 8) for quad in truth]
        picture, question = as_text(record.get("image_id")), as_text(record.get("question"))
        if picture is None or question is None:
            self.faults.add(*location, Remark("the entry has no image or no question"))
            return None
        if not corners or None in corners:
            self.faults.add(*location, Remark("the truth is not a list of four corners for each object"))
            return None
        kind = (as_text(record.get("type")) or "ref").strip().lower()
        picture += "" if Path(picture).suffix else ".png"
        pictures = self.load_pictures(picture)
        side = GEOCHAT_SIDES.get((as_text(record.get("dataset")) or "").upper())
        count = "one object" if len(corners) == 1 else "several objects"
        return Row(
            id=name,
            truth=format_shapes([format_shape("quad", quad) for quad in corners if quad is not None]),
            task=self.task_named(f"{kind}, {count}", "rotated detection"),
            question=f"Locate all that this describes: {question}\n"
            "Answer with the number of objects and the corners of each in pixels as "
            "<quad><x1><y1><x2><y2><x3><y3><x4><y4></quad>.",
            source=picture,
            pictures=pictures,
            size=measure(pictures, (side, side) if side else None),
        )

    def _region_caption(self, location: Location, name: str, record: Record, truth: str | None) -> Row | None:
        picture, region = as_text(record["image_id"]), as_text(record.get("question"))
        if picture is None or region is None or not truth:
            self.faults.add(*location, Remark("the entry has no image, no question or no truth"))
            return None
        picture += "" if Path(picture).suffix else ".png"
        pictures = self.load_pictures(picture)
        side = GEOCHAT_SIDES.get((as_text(record.get("dataset")) or "").upper())
        return Row(
            id=name,
            truth=truth.strip(),
            task=self.known_task("region caption"),
            question=f"What is the object present at {region}",
            source=picture,
            pictures=pictures,
            size=measure(pictures, (side, side) if side else None),
        )


def _flatten(quad: Any) -> list[Any] | None:
    """The coordinates of a ring of points; None if it is none."""
    if not isinstance(quad, list) or not all(isinstance(point, list) for point in quad):
        return None
    return [value for point in quad for value in point]


def _spell_as_option(label: str, question: str) -> str:
    """The label as the question's list of classes spells it: `denseresidential` as `dense residential`."""
    wanted = _letters(label)
    options = (option.strip() for option in re.split(r"[,:;.\n]", question[:100_000]))
    return next((option for option in options if _letters(option) == wanted), label)


def _letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


_RSVQA_TASKS = {
    "presence": "presence question",
    "comp": "presence question",
    "count": "count question",
    "rural_urban": _WORDS,
    "area": _WORDS,
}
"""Pattern of the task of each type of question."""


class RsvqaImporter(QuestionImporter):
    """`…questions.json` with `…answers.json` beside it: active questions, each with its first answer."""

    title = "RSVQA questions and answers (JSON)"

    def files(self, source: Path) -> list[Path]:
        """One file of questions, or all of a folder."""
        paths = [path for path in list_files(source, ("questions.json",)) if path.name.endswith("questions.json")]
        if not paths:
            raise DataError("{path} is not a file of questions such as LR_split_test_questions.json.", path=source)
        for path in paths:
            if not _answers_of(path).is_file():
                raise DataError("{path} does not exist.", path=_answers_of(path))
        return paths

    def questions(self, path: Path) -> Iterator[tuple[Location, Row]]:
        """The active questions of one file."""
        answers = LookupTable(self.options.scratch, "answers")
        try:
            self._read_answers(_answers_of(path), answers)
            number = 0
            for key, entry in stream_json(path):
                if key == "questions":
                    number += 1
                    self.watch(number)
                    if (row := self._row((path, f"questions[{number - 1}]"), entry, answers)) is not None:
                        yield (path, f"questions[{number - 1}]"), row
            if not number:
                raise DataError("{path} is not a file of questions such as LR_split_test_questions.json.", path=path)
        finally:
            answers.close()

    def _read_answers(self, path: Path, answers: LookupTable) -> None:
        number = 0
        for key, entry in stream_json(path):
            if key != "answers":
                continue
            number += 1
            self.watch(number)
            if _is_inactive(entry):
                continue
            if not isinstance(entry, dict) or as_text(entry.get("id")) is None or as_text(entry.get("answer")) is None:
                self.faults.add(path, f"answers[{number - 1}]", Remark("the entry has no id or no answer"))
            elif not answers.add(as_text(entry["id"]) or "", as_text(entry["answer"]) or ""):
                why = Remark("duplicate id '{name}'", {"name": (as_text(entry["id"]) or "")[:200]})
                self.faults.add(path, f"answers[{number - 1}]", why)

    def _row(self, location: Location, entry: Any, answers: LookupTable) -> Row | None:
        if _is_inactive(entry):  # questions of the other splits
            return None
        fields = ("id", "img_id", "type", "question")
        if not isinstance(entry, dict) or any(as_text(entry.get(field)) is None for field in fields):
            self.faults.add(*location, Remark("the entry has no id, img_id, type or question"))
            return None
        name, image, kind, question = (as_text(entry[field]) or "" for field in fields)
        ids = entry.get("answers_ids")
        answer = answers.get(as_text(ids[0]) or "") if isinstance(ids, list) and ids else None
        if answer is None:
            self.faults.add(*location, Remark("the question has no answer"))
            return None
        picture = find_picture_name(self.options.images, image)
        pictures = self.load_pictures(picture)
        pattern = _RSVQA_TASKS.get(kind, _WORDS)
        if pattern == "count question" and not _NUMBER.fullmatch(answer.strip()):
            kind, pattern = f"{kind}, in words", _WORDS
        return Row(
            id=name,
            truth=answer.strip(),
            task=self.task_named(kind, pattern),
            question=f"{question}\nAnswer the question using a single word or phrase.",
            source=picture,
            pictures=pictures,
            size=measure(pictures, None),
        )


def _answers_of(questions: Path) -> Path:
    return questions.with_name(questions.name.removesuffix("questions.json") + "answers.json")


def _is_inactive(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("active") is False

"""Logs of Inspect: `.eval` archives and `.json` files, sample by sample."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError
from sightline.core.records import Remark
from sightline.interop.fields import as_text
from sightline.interop.json_stream import LONGEST, stream_json
from sightline.interop.pictures import from_base64
from sightline.interop.records_in import files_of
from sightline.interop.rows import Importer, Row

_SAMPLES = "samples/"
_ATTACHED = "attachment://"


class InspectImporter(Importer):
    """The last completion of each sample; ids of later epochs end with `#2`, `#3`…"""

    title = "Inspect logs (.eval, .json)"

    def rows(self, source: Path) -> Iterator[Row]:
        """One row a sample and epoch; each log of a folder is a sheet of its own."""
        paths = files_of(source, (".eval", ".json"))
        for path in paths:
            read = self._archived if path.suffix.lower() == ".eval" else _listed
            for place, sample in read(path):
                if not isinstance(sample, dict) or sample.get("id") is None:
                    self.faults.add(path, place, Remark("the entry has no id"))
                elif sample.get("error") and not _completion(sample):
                    self.faults.add(path, place, Remark("the sample ended with an error and has no reply"))
                else:
                    yield self._row(path, place, sample, path.stem if len(paths) > 1 else "")

    def _archived(self, path: Path) -> Iterator[tuple[str, Any]]:
        try:
            with zipfile.ZipFile(path) as archive:
                for member in archive.infolist():
                    if not member.filename.startswith(_SAMPLES):
                        continue
                    if member.file_size > LONGEST:
                        self.faults.add(path, member.filename, Remark("the line is too long"))
                        continue
                    try:
                        yield member.filename, json.loads(archive.read(member))
                    except (ValueError, RecursionError):
                        self.faults.add(path, member.filename, Remark("the line is no JSON"))
        except NotImplementedError:
            yield from _by_inspect(path)
        except (OSError, zipfile.BadZipFile) as error:
            raise DataError("{path} can't be read: {why}", path=path, why=error) from None

    def _row(self, path: Path, place: str, sample: dict[str, Any], sheet: str) -> Row:
        epoch = sample.get("epoch", 1)
        if _turns(sample) > 1:
            self.faults.note(Remark("{count} samples were asked in several turns; only the last reply is taken over."))
        target = sample.get("target")
        texts, media = _asked(sample)
        pictures = []
        for one in media if self.wishes.frames else ():
            found = from_base64(one) if one.startswith("data:") else Remark("what should be a picture is none")
            if isinstance(found, Remark):
                self.faults.add(path, place, found)
            else:
                pictures.append(found)
        metadata = sample.get("metadata")
        named = metadata.get("source") if isinstance(metadata, Mapping) else None
        return Row(
            id=f"{sample['id']}#{epoch}" if epoch != 1 else str(sample["id"]),
            truth=as_text(target[0] if isinstance(target, list) and len(target) == 1 else target) or "",
            reply=_completion(sample),
            task=self.wishes.task or (as_text(metadata.get("task")) if isinstance(metadata, Mapping) else "") or "",
            question="\n".join(texts),
            source=named if isinstance(named, str) else "",
            pictures=tuple(pictures),
            sheet=sheet,
        )


def _listed(path: Path) -> Iterator[tuple[str, Any]]:
    number = 0
    for key, value in stream_json(path):
        if key == "samples":
            number += 1
            yield f"samples[{number - 1}]", value


def _by_inspect(path: Path) -> Iterator[tuple[str, Any]]:
    """Archives packed in a way that this Python can't unpack; Inspect may bring what it takes."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise DataError(
            "{path} is packed in a way that this Python can't unpack.",
            hint='pip install "sightline[inspect]", or turn it into JSON: inspect log convert --to json',
            path=path,
        ) from None
    for sample in read_eval_log(str(path)).samples or []:
        yield str(sample.id), sample.model_dump(mode="json")


def _completion(sample: Mapping[str, Any]) -> str | None:
    """The words of the model's last output."""
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, Mapping) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        return None
    message = choices[0].get("message")
    texts, _ = _parts(message.get("content") if isinstance(message, Mapping) else None)
    attached = sample.get("attachments") or {}
    return "".join(_resolved(text, attached) for text in texts)


def _turns(sample: Mapping[str, Any]) -> int:
    """How often the model spoke."""
    messages = sample.get("messages")
    spoken = messages if isinstance(messages, list) else []
    return sum(isinstance(one, Mapping) and one.get("role") == "assistant" for one in spoken)


def _asked(sample: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The words and the pictures of what was asked first."""
    asked = sample.get("input")
    messages = [{"content": asked}] if isinstance(asked, str) else asked if isinstance(asked, list) else []
    attached = sample.get("attachments") or {}
    texts: list[str] = []
    media: list[str] = []
    for message in messages:
        words, pictures = _parts(message.get("content") if isinstance(message, Mapping) else None)
        texts += [_resolved(text, attached) for text in words]
        media += [_resolved(text, attached) for text in pictures]
    return texts, media


def _parts(content: Any) -> tuple[list[str], list[str]]:
    if isinstance(content, str):
        return [content], []
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return texts, [part["image"] for part in parts if isinstance(part.get("image"), str)]


def _resolved(text: str, attached: Any) -> str:
    """Long texts and pictures stand at the end of a sample, and are named by a hash."""
    found = attached.get(text.removeprefix(_ATTACHED)) if isinstance(attached, Mapping) else None
    return found if text.startswith(_ATTACHED) and isinstance(found, str) else text

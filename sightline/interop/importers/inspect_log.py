"""Inspect importer: `.eval` archives and `.json` logs, read sample by sample."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError
from sightline.core.remarks import Remark
from sightline.interop.importer import Importer, Row, as_text
from sightline.interop.readers import MAX_ELEMENT_CHARACTERS, decode_picture, list_files, stream_json

_SAMPLES_FOLDER = "samples/"
_ATTACHMENT_PREFIX = "attachment://"


class InspectImporter(Importer):
    """The last completion of each sample; ids of later epochs end with `#2`, `#3`…"""

    title = "Inspect logs (.eval, .json)"

    def rows(self, source: Path) -> Iterator[Row]:
        """Yield one row per sample and epoch; each log of a folder becomes its own annotation file."""
        paths = list_files(source, (".eval", ".json"))
        for path in paths:
            read = self._read_archive if path.suffix.lower() == ".eval" else _read_json_log
            for location, sample in read(path):
                if not isinstance(sample, dict) or sample.get("id") is None:
                    self.faults.add(path, location, Remark("the entry has no id"))
                elif sample.get("error") and not _completion(sample):
                    self.faults.add(path, location, Remark("the sample ended with an error and has no reply"))
                else:
                    yield self._row(path, location, sample, path.stem if len(paths) > 1 else "")

    def _read_archive(self, path: Path) -> Iterator[tuple[str, Any]]:
        try:
            with zipfile.ZipFile(path) as archive:
                for member in archive.infolist():
                    if not member.filename.startswith(_SAMPLES_FOLDER):
                        continue
                    if member.file_size > MAX_ELEMENT_CHARACTERS:
                        self.faults.add(path, member.filename, Remark("the line is too long"))
                        continue
                    try:
                        yield member.filename, json.loads(archive.read(member))
                    except (ValueError, RecursionError):
                        self.faults.add(path, member.filename, Remark("the line is not JSON"))
        except NotImplementedError:
            yield from _read_with_inspect(path)
        except (OSError, zipfile.BadZipFile) as error:
            raise DataError("Cannot read {path}: {why}", path=path, why=error) from None

    def _row(self, path: Path, location: str, sample: dict[str, Any], sheet: str) -> Row:
        epoch = sample.get("epoch", 1)
        if _count_turns(sample) > 1:
            self.faults.note(Remark("{count} samples have several turns; only the last reply is imported."))
        target = sample.get("target")
        texts, media = _question(sample)
        pictures = []
        for uri in media if self.options.frames else ():
            picture = decode_picture(uri) if uri.startswith("data:") else Remark("not a supported image")
            if isinstance(picture, Remark):
                self.faults.add(path, location, picture)
            else:
                pictures.append(picture)
        metadata = sample.get("metadata")
        source_name = metadata.get("source") if isinstance(metadata, Mapping) else None
        return Row(
            id=f"{sample['id']}#{epoch}" if epoch != 1 else str(sample["id"]),
            truth=as_text(target[0] if isinstance(target, list) and len(target) == 1 else target) or "",
            reply=_completion(sample),
            task=self.options.task or (as_text(metadata.get("task")) if isinstance(metadata, Mapping) else "") or "",
            question="\n".join(texts),
            source=source_name if isinstance(source_name, str) else "",
            pictures=tuple(pictures),
            sheet=sheet,
        )


def _read_json_log(path: Path) -> Iterator[tuple[str, Any]]:
    number = 0
    for key, value in stream_json(path):
        if key == "samples":
            number += 1
            yield f"samples[{number - 1}]", value


def _read_with_inspect(path: Path) -> Iterator[tuple[str, Any]]:
    """Read archives with a compression that this Python lacks by Inspect's own reader."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise DataError(
            "{path} uses a compression that this Python does not support.",
            hint='pip install "sightline[inspect]", or convert it to JSON: inspect log convert --to json',
            path=path,
        ) from None
    for sample in read_eval_log(str(path)).samples or []:
        yield str(sample.id), sample.model_dump(mode="json")


def _completion(sample: Mapping[str, Any]) -> str | None:
    """Return the text of the model's last output."""
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, Mapping) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        return None
    message = choices[0].get("message")
    texts, _ = _content_parts(message.get("content") if isinstance(message, Mapping) else None)
    attachments = sample.get("attachments") or {}
    return "".join(_resolve_attachment(text, attachments) for text in texts)


def _count_turns(sample: Mapping[str, Any]) -> int:
    """Count the assistant messages."""
    messages = sample.get("messages")
    entries = messages if isinstance(messages, list) else []
    return sum(isinstance(message, Mapping) and message.get("role") == "assistant" for message in entries)


def _question(sample: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return texts and images of the input."""
    messages = sample.get("input")
    if isinstance(messages, str):
        messages = [{"content": messages}]
    attachments = sample.get("attachments") or {}
    texts: list[str] = []
    media: list[str] = []
    for message in messages if isinstance(messages, list) else []:
        message_texts, pictures = _content_parts(message.get("content") if isinstance(message, Mapping) else None)
        texts += [_resolve_attachment(text, attachments) for text in message_texts]
        media += [_resolve_attachment(text, attachments) for text in pictures]
    return texts, media


def _content_parts(content: Any) -> tuple[list[str], list[str]]:
    if isinstance(content, str):
        return [content], []
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return texts, [part["image"] for part in parts if isinstance(part.get("image"), str)]


def _resolve_attachment(text: str, attachments: Any) -> str:
    """Resolve an `attachment://` reference; long texts and images are stored by hash at the end of a sample."""
    content = attachments.get(text.removeprefix(_ATTACHMENT_PREFIX)) if isinstance(attachments, Mapping) else None
    return content if text.startswith(_ATTACHMENT_PREFIX) and isinstance(content, str) else text

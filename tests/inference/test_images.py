"""Images over HTTP: what the server gets, what the journal keeps, and what the settings do to a run's identity."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from sightline import evaluate, grade_again
from sightline.api.evaluation import Result
from sightline.core.config import ADDED_SETTINGS, PACE_ONLY, RunConfig, mask_config, resolve
from sightline.core.errors import ConfigError
from sightline.core.records import Media, Prompt
from sightline.core.registry import load_suite
from sightline.data.media import load_bytes
from sightline.inference import batch_transport
from sightline.inference.journal import JournalReader
from sightline.reports.sample_view.reader import SampleReader
from sightline.reports.sample_view.view import load_sample
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import compute_run_key
from tests.data.test_pictures import bomb, encoded, tiff
from tests.scoring.files.worlds import write_lines
from tests.support.worlds import journal, only_run, server, write_questions

SCENE = Image.fromarray(np.random.default_rng(1).integers(0, 256, (120, 200, 3), dtype=np.uint8))
RASTER = tiff(np.random.default_rng(2).integers(0, 3000, (50, 70, 8)).astype(np.uint16), tile=16)


def ask(tmp_path: Path, data: Path, *server_args: str | Path, **more: Any) -> tuple[Result, list[list[Any]]]:
    log = tmp_path / "log"
    log.write_text("")
    given: dict[str, Any] = {"data": str(data), "model": "m", "output_dir": str(tmp_path / "runs")}
    with server("--log", log, *server_args, program="picture_server.py") as base:
        result = evaluate(more.pop("suite", "simulation"), **{**given, "api_base": base, **more})
    return result, [json.loads(line) for line in log.read_text().splitlines()]


def world(folder: Path, *pictures: bytes) -> Path:
    """A question on each of the pictures, whose files are all called .png."""
    data = write_questions(folder, 1, len(pictures))
    for number, content in enumerate(pictures, 1):
        (data / "data" / "structural" / "images" / f"File_{number}.png").write_bytes(content)
    return data


def test_every_image_arrives_as_what_it_is_declared(tmp_path: Path) -> None:
    names = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
    files = [*(encoded(SCENE, name) for name in names), encoded(SCENE.convert("CMYK"), "JPEG"), RASTER]
    result, sent = ask(tmp_path, world(tmp_path / "data", *files))
    assert result.complete
    got = sorted(image for _, [image] in sent)
    assert [kind for kind, *_ in got] == ["image/jpeg"] * 2 + ["image/png"] * 6
    assert all(kind == f"image/{name.lower()}" and mode == "RGB" for kind, name, mode, _, _ in got)
    answers = {str(line["sample"]): line["pictures"] for line in journal(result.folder)}
    assert answers["image/structural/File_1/q0"] == [{"size": [200, 120]}]
    assert answers["image/structural/File_8/q0"][0] == {
        "size": [70, 50],
        "format": "png",
        "changes": ["first_bands", "stretched", "converted"],
    }
    told = " ".join(map(str, result.summary.deviations))
    assert "images of 5 samples were converted to another format" in told
    assert "images of 1 samples have more than 8 bits per band: each band was scaled" in told
    assert "images of 1 samples were converted from CMYK" in told
    again = grade_again(result.folder).summary
    assert again.deviations == result.summary.deviations, "the journal knows them"


def test_what_is_no_image_is_not_sent_and_the_run_goes_on(tmp_path: Path) -> None:
    whole = encoded(SCENE, "PNG")
    bad = [b"<html>not found</html>", whole[:5000], bomb(60_000, 60_000), encoded(SCENE, "JPEG")[:3000]]
    result, sent = ask(tmp_path, world(tmp_path / "data", whole, *bad, whole))
    assert len(sent) == 2
    assert result.summary.statuses == {"answered": 2, "invalid": 1, "failed": 3}
    told = (result.folder / "error_log.txt").read_text(encoding="utf-8")
    assert told.count("cannot be decoded: image file is truncated") == 2
    assert "the image has more than 178,956,970 pixels" in told
    assert "not an image" in (result.folder / "invalid_sample_log.txt").read_text(encoding="utf-8")


def test_resizing_is_recorded(tmp_path: Path) -> None:
    data = world(tmp_path / "data", *[encoded(SCENE, "PNG")] * 3)
    settings: dict[str, Any] = {"max_pixels": 6000, "pixel_multiple": 28, "image_detail": "low"}
    result, sent = ask(tmp_path, data, **settings)
    assert [image for _, [image] in sent] == [["image/png", "PNG", "RGB", [84, 56], "low"]] * 3
    reader = JournalReader(result.folder / "journal.jsonl")
    [picture] = reader.attempts(0, "image/structural/File_1/q0")[0].answers[0].pictures
    reader.close()
    assert (picture.size, picture.sent_size) == ((200, 120), (84, 56))
    assert picture.scale == (200 / 84, 120 / 56)
    manifest = json.loads((result.folder / "manifest.json").read_text(encoding="utf-8"))
    assert {name: manifest["config"][name] for name in settings} == settings
    told = [str(remark) for remark in result.summary.deviations]
    assert {"images of at most 6,000 pixels", "sides of images resized to multiples of 28"} <= set(told)
    assert "images of 3 samples were resized before they were sent" in told


def test_a_run_is_known_by_its_image_settings(tmp_path: Path) -> None:
    data = world(tmp_path / "data", encoded(SCENE, "PNG"))
    folders = set()
    variants: list[dict[str, Any]] = [{}, {"max_pixels": 7000}, {"image_detail": "high"}, {"image_format": "jpeg"}]
    with server(program="picture_server.py") as base:
        for more in [*variants, {"min_pixels": 100}, {"pixel_multiple": 28}]:
            given = {"data": str(data), "model": "m", "output_dir": str(tmp_path / "runs"), "api_base": base, **more}
            result = evaluate("simulation", **given)
            assert not result.was_finished and evaluate("simulation", **given).was_finished
            folders.add(result.folder)
    assert len(folders) == 6


def test_the_default_key_is_that_of_earlier_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    suite, config = load_suite("simulation"), RunConfig(model="m")
    key = compute_run_key(suite, config, {}, "data")
    new = {*ADDED_SETTINGS}
    assert not new & PACE_ONLY
    before = {name: value for name, value in mask_config(config).items() if name not in new}
    monkeypatch.setattr("sightline.runs.manifest.mask_config", lambda _: before)
    monkeypatch.setattr("sightline.runs.manifest.ADDED_SETTINGS", ())
    assert compute_run_key(suite, config, {}, "data") == key
    monkeypatch.undo()
    for name, value in (("max_pixels", 5), ("image_format", "keep"), ("pixel_multiple", 2), ("image_detail", "low")):
        assert compute_run_key(suite, replace(config, **{name: value}), {}, "data") != key


def test_the_reply_cache_knows_the_settings(tmp_path: Path) -> None:
    data = world(tmp_path / "data", encoded(SCENE, "PNG"))
    cache: dict[str, Any] = {"cache": True, "cache_path": str(tmp_path / "cache.sqlite"), "fresh": True}
    log = tmp_path / "log"
    with server("--log", log, program="picture_server.py") as base:
        for more in (
            {},
            {},
            {"max_pixels": 6000},
            {"max_pixels": 6000},
            {"max_pixels": 10**6},
            {"image_detail": "low"},
        ):
            given = {"data": str(data), "model": "m", "output_dir": str(tmp_path / "runs"), "api_base": base}
            result = evaluate("simulation", **given, **cache, **more)
            [line] = journal(result.folder)
            assert line["pictures"][0]["size"] == [200, 120], "of cached replies too"  # type: ignore[index]
    assert len(log.read_text().splitlines()) == 3, "an image within the budget is the same request"


def test_images_of_the_batch_api_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_transport, "FIRST_POLL", 0.01)
    data = world(tmp_path / "data", encoded(SCENE, "BMP"), b"\x89PNG\r\n\x1a\n torn")
    with server("--plan", "[{}]", program="batch_server.py") as base:
        evaluate(
            "simulation",
            data=str(data),
            model="m",
            api_base=base,
            output_dir=str(tmp_path / "runs"),
            batch=True,
            max_pixels=6000,
        )
    lines = {line["type"]: line for line in journal(only_run(tmp_path / "runs"))}
    assert lines["answer"]["pictures"] == [
        {"size": [200, 120], "sent": [100, 60], "format": "png", "changes": ["converted"]}
    ]
    assert lines["failure"]["kind"] == "media" and "pictures" not in lines["failure"]


def test_boxes_in_pixels_are_those_of_the_image_that_was_sent(tmp_path: Path) -> None:
    frame = base64.b64encode(encoded(SCENE, "PNG")).decode()
    truth = "<box><20><20><100><60></box>"
    row = {"prompt": "Where is it?", "gt": truth, "task": "horizontal detection", "frames": [frame], "source": "a.png"}
    write_lines(tmp_path / "anno" / "boxes.txt", [{**row, "sample_id": f"s{number}"} for number in range(3)])
    given: dict[str, Any] = {"suite": "remote-sensing", "task": "horizontal detection"}
    half = "<box><10><10><50><30></box>"
    wrong, _ = ask(tmp_path, tmp_path / "anno", "--reply", half, **given)
    right, sent = ask(tmp_path, tmp_path / "anno", "--reply", half, **given, max_pixels=6000)
    assert sent[0][1][0][3] == [100, 60]
    values = [
        row.estimate.value for run in (wrong, right) for row in run.summary.rows_of("task") if row.metric == "ap50"
    ]
    assert values == [0, 1]
    assert grade_again(right.folder).summary.rows == right.summary.rows
    folder = RunFolder(right.folder)
    reader = SampleReader(folder, folder.load_manifest())
    view = load_sample(reader, 0)
    reader.close()
    assert view.media_views[0].reply == view.media_views[0].truth, "the overlay lies on the image itself"


def test_a_python_function_gets_resized_images(tmp_path: Path) -> None:
    data = world(tmp_path / "data", encoded(SCENE, "WEBP"), b"\x89PNG\r\n\x1a\n torn")
    sizes = []

    def answer(prompt: Prompt) -> str:
        for part in prompt.messages[0].parts:
            if isinstance(part, Media):
                sizes.append(Image.open(io.BytesIO(load_bytes(part))).size)
        return "True"

    given: dict[str, Any] = {"data": str(data), "output_dir": str(tmp_path / "runs")}
    result = evaluate("simulation", model=answer, max_pixels=6000, **given)
    assert sizes == [(100, 60)]
    assert result.summary.statuses == {"answered": 1, "failed": 1}
    [line] = [line for line in journal(result.folder) if line["type"] == "answer"]
    assert line["pictures"][0]["sent"] == [100, 60]  # type: ignore[index]


def test_settings_are_checked() -> None:
    def resolved(**flags: Any) -> RunConfig:
        return resolve("simulation", flags=flags)[0]

    assert resolved(max_pixels="100k").max_pixels == 100_000
    assert resolved(max_pixels="1.5M", min_pixels="4k").max_pixels == 1_500_000
    for wrong in ("100kk", "-1k", "k", "1e3k", "0k"):
        with pytest.raises(ConfigError):
            resolved(max_pixels=wrong)
    with pytest.raises(ConfigError, match="larger than --max-pixels"):
        resolved(max_pixels=1000, min_pixels=2000)
    with pytest.raises(ConfigError, match="square of --pixel-multiple"):
        resolved(max_pixels=700, pixel_multiple=28)
    with pytest.raises(ConfigError, match="--image-format"):
        resolved(image_format="tiff")


def test_a_dry_run_counts_the_tokens_of_resized_images(tmp_path: Path) -> None:
    from sightline.api.evaluation import preview

    data = world(tmp_path / "data", encoded(SCENE.resize((1000, 1000)), "PNG"))
    suite = load_suite("simulation")
    whole, small = (
        preview(suite, RunConfig(model="m", data=str(data), max_pixels=most)).tokens_in for most in (None, 100_000)
    )
    assert whole - small == pytest.approx((1_000_000 - 100_000) / 784, rel=0.02)

"""A shard that somebody else has written is data: it may be refused, but nothing in it is ever run."""

from __future__ import annotations

import hashlib
import io
import pickle
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from msgspec import msgpack

from sightline import score
from sightline.core.errors import StorageError
from sightline.scoring.evaluator_codec import (
    _DIGEST,
    _MAGIC,
    DamagedStateError,
    pack,
    pack_target_statistics,
    unpack,
    unpack_target_statistics,
)
from sightline.scoring.files.shard_store import COUNTS, seal
from sightline.scoring.task_evaluator import TaskEvaluator
from tests.laws.test_figures import FIGURES as ALL_METRICS
from tests.laws.test_figures import WORLDS, evaluator_of, scored, world
from tests.scoring.files.worlds import write_world

FIGURES = {
    "numbers": "mae",
    "labels": "macro_f1",
    "ranks": "mrr",
    "shapes": "map",
    "polygons": "mask_ap",
    "texts": "cider",
}


class _Name:
    """Pickled as a name, which may have dots, inside a module."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __call__(self) -> None: ...


class _Call:
    def __init__(self, name: _Name, *arguments: Any) -> None:
        self.name, self.arguments = name, arguments

    def __reduce__(self) -> Any:
        return self.name, self.arguments


class _DottedPickler(pickle._Pickler):  # the one in Python: its table of types can be added to
    dispatch: ClassVar[dict[type, Any]] = dict(pickle._Pickler.dispatch)

    def _save_name(self, name: _Name) -> None:
        self.save(name.module)
        self.save(name.name)
        self.write(pickle.STACK_GLOBAL)

    dispatch[_Name] = _save_name


def pickled_command(marker: Path) -> bytes:
    """A pickle that starts a program: it finds `Popen` by a dotted name beneath a module of ours."""
    out = io.BytesIO()
    popen = _Name("sightline.suites.matrix.sandbox.unsandboxed", "subprocess.Popen")
    _DottedPickler(out, 4).dump(_Call(popen, [sys.executable, "-c", f"open({str(marker)!r}, 'w').close()"]))
    return out.getvalue()


def resealed(body: bytes) -> bytes:
    """Whoever can write a file can make its hash fit."""
    return _MAGIC + hashlib.blake2b(body, digest_size=_DIGEST).digest() + body


def test_a_replaced_counts_file_runs_no_command(tmp_path: Path) -> None:
    hostile = pickled_command(tmp_path / "marker")
    process = pickle.loads(hostile)  # what it would do
    process.wait()
    (tmp_path / "marker").unlink()
    anno, out = write_world(tmp_path, {"计数": [(str(number), str(number % 7)) for number in range(40)]})
    options = {"engine": "serial", "batch_size": 5, "shards": str(tmp_path / "shards")}
    score(anno, out, output_dir=str(tmp_path / "a"), **options)
    shard = next(tmp_path.glob(f"shards/*/*/{COUNTS}")).parent
    for content in (hostile, resealed(hostile), resealed(msgpack.encode({"states": hostile}))):
        seal(shard, content)
        with pytest.raises(StorageError, match=shard.name):
            score(anno, out, output_dir=str(tmp_path / "b"), **options)
    time.sleep(0.5)
    assert not (tmp_path / "marker").exists()


def test_replaced_target_statistics_are_named_and_runs_no_command(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"图片分类": [("port", "port"), ("beach", "port")] * 10})
    options = {"engine": "serial", "batch_size": 5, "shards": str(tmp_path / "shards")}
    score(anno, out, output_dir=str(tmp_path / "a"), **options)
    (statistics,) = tmp_path.glob("shards/target-statistics-*")
    statistics.write_bytes(pickled_command(tmp_path / "marker"))
    from sightline.scoring.files.shards import _template

    _template.cache_clear()
    for folder in tmp_path.glob("shards/??"):
        folder.rename(tmp_path / f"away-{folder.name}")
    report = score(anno, out, output_dir=str(tmp_path / "b"), **options)
    told = str(report.to_dict())
    time.sleep(0.5)
    assert statistics.name in told and "is damaged" in told
    assert not (tmp_path / "marker").exists()


def evaluators() -> Iterator[tuple[str, TaskEvaluator]]:
    for kind, name in FIGURES.items():
        pairs = world(name, 3, 25)
        yield kind, scored(evaluator_of(name, pairs), pairs, [number % 5 + 1 for number in range(25)])


def test_every_kind_of_column_is_attacked_below() -> None:
    assert FIGURES.keys() == WORLDS.keys() - {"any"} and set(FIGURES.values()) <= set(ALL_METRICS)


def spoiled(data: bytes, chance: random.Random, times: int) -> Iterator[bytes]:
    """Truncations, turned bits, bytes out of nowhere, pieces twice or left out."""
    for made in (_spoiled(data, chance) for _ in range(times)):
        if made != data:
            yield made


def _spoiled(data: bytes, chance: random.Random) -> bytes:
    place, made = chance.randrange(len(data)), bytearray(data)
    way = chance.randrange(5)
    if way == 0:
        return data[:place]
    if way == 1:
        for _ in range(chance.randint(1, 4)):
            made[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        return bytes(made)
    if way == 2:
        made[place] = chance.choice((0xC0, 0xC1, 0xC6, 0xC9, 0xD9, 0xDC, 0xDD, 0xDF, 0x80, 0x90, 0xFF, 0x00))
        return bytes(made)
    if way == 3:
        return data[:place] + data[chance.randrange(len(data)) :]
    return data[:place] + bytes(chance.randrange(256) for _ in range(8)) + data[place:]


@pytest.mark.parametrize("kind", FIGURES)
def test_no_damage_goes_unnoticed(kind: str) -> None:
    evaluator = dict(evaluators())[kind]
    data, chance = pack(evaluator), random.Random(1)
    for bad in (b"", b"\x00", b"cos\nsystem\n(S'true'\ntR.", pickle.dumps(print), *spoiled(data, chance, 300)):
        with pytest.raises(DamagedStateError):
            unpack(bad, evaluator)
    if evaluator.needs_fit:
        for bad in spoiled(pack_target_statistics(evaluator), chance, 300):
            with pytest.raises(DamagedStateError):
                unpack_target_statistics(bad, evaluator.empty_copy())


@pytest.mark.parametrize("kind", FIGURES)
def test_content_that_was_made_to_fit_its_hash_is_refused_or_harmless(kind: str) -> None:
    """With the hash made to fit, what is decoded is anybody's: an error of one kind, or counts that may be wrong."""
    evaluator = dict(evaluators())[kind]
    body, chance = pack(evaluator)[len(_MAGIC) + _DIGEST :], random.Random(2)
    refused = 0
    for bad in spoiled(body, chance, 600):
        try:
            found = unpack(resealed(bad), evaluator)
        except DamagedStateError:
            refused += 1
        else:
            assert list(found.group.states) == list(evaluator.group.states)
    assert refused > 100
    if not evaluator.needs_fit:
        return
    body = pack_target_statistics(evaluator)[len(_MAGIC) + _DIGEST :]
    for bad in spoiled(body, chance, 600):
        other = evaluator.empty_copy()
        try:
            unpack_target_statistics(resealed(bad), other)
        except DamagedStateError:
            continue
        pairs = world(FIGURES[kind], 3, 25)
        scored(other, pairs, [1] * 25).close()  # kernels read it: nothing may lie outside its array


def test_the_state_of_another_task_is_refused() -> None:
    found = dict(evaluators())
    for kind, evaluator in found.items():
        for other, stranger in found.items():
            if kind != other:
                with pytest.raises(DamagedStateError):
                    unpack(pack(stranger), evaluator)


def test_references_whose_indices_leave_their_arrays_are_refused() -> None:
    evaluator = dict(evaluators())["texts"]
    (statistics,) = (one for one in evaluator.target_statistics if one is not None)
    sound = statistics.state_dict()
    key, offsets, ids, vocabulary, spaced, groups = sound["blocks"][0]
    far = ids.copy()
    far[-1] = len(vocabulary)
    longer = offsets.copy()
    longer[-1] += 1
    falling = offsets[[0, 2, 1, *range(3, len(offsets))]]
    wrong = [
        [key, offsets, far, vocabulary, spaced, groups],
        [key, longer, ids, vocabulary, spaced, groups],
        [key, falling, ids, vocabulary, spaced, groups],
        [key, offsets[1:], ids, vocabulary, spaced, groups],
        [key, offsets[:0], ids[:0], vocabulary, spaced, groups],
        [key, offsets, ids, vocabulary[:0], spaced, groups],
        [key, offsets, ids.astype(np.int64), vocabulary, spaced, groups],
        [key, offsets, ids, vocabulary, {0: ids}, groups],
        [key, offsets, ids, vocabulary, spaced],
        [key, offsets, ids, vocabulary, spaced, groups[1:]],
        [key, offsets, ids, vocabulary, spaced, groups[:-1]],
        [key, offsets, ids, vocabulary, spaced, groups[[0, 0, *range(2, len(groups))]]],
        ["", offsets, ids, vocabulary, spaced, groups],
    ]
    new = type(statistics)()
    new.load_state_dict({**sound, "blocks": [[key, offsets, ids, vocabulary, spaced, groups]]})
    assert new.samples == statistics.samples
    for block in wrong:
        with pytest.raises(ValueError):
            type(statistics)().load_state_dict({**sound, "blocks": [block]})

"""Annotations larger than memory should hold, from S3: streamed once, and whole in spite of broken connections.

STORAGE_TEST_MB sets their size; 200 where it is not set.
"""

from __future__ import annotations

import base64
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.data.storage.worlds import CuttingProxy, aws, bucket, upload
from tests.support.worlds import ROOT, environment

MEGABYTES = int(os.environ.get("STORAGE_TEST_MB", "200"))
FRAMES = base64.b64encode(random.Random(1).randbytes(150_000)).decode()
ROWS_A_FILE = 200
PROGRAM = """
import re, sys
from sightline.cli import cli
code = cli.main(sys.argv[1:], standalone_mode=False)
status = open("/proc/self/status").read()
print("peak", re.search(r"VmHWM:\\s+(\\d+)", status)[1], file=sys.stderr)
sys.exit(code)
"""


def write_files(folder: Path) -> None:
    """Counting tasks whose pictures lie in the lines, 200 kB each."""
    for name in ("anno", "out"):
        (folder / name).mkdir()
    for number in range(max(MEGABYTES // 40, 1)):
        rows = range(number * ROWS_A_FILE, (number + 1) * ROWS_A_FILE)
        with (folder / "anno" / f"f{number}.txt").open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(f'{{"task": "计数", "frames": "{FRAMES}", "gt": "{row % 17}", "source": "{row}.png"}}\n')
        with (folder / "out" / f"f{number}_output.txt").open("w") as file:
            file.writelines(json.dumps({"model_output": str(row % 13), "source": f"{row}.png"}) + "\n" for row in rows)


def score(cwd: Path, address: str, *places: str) -> tuple[dict[str, Any], int]:
    """The figures, and the most memory that the command had in use, in MB."""
    flags = ("--anno-path", "--model-result-path", "--output-dir")
    args = ["score", *(text for pair in zip(flags, places, strict=True) for text in pair), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *args],
        cwd=cwd,
        env={**environment(**aws(address)), "PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    peak = int(done.stderr.split()[-1]) // 1024
    return json.loads(done.stdout)["models"], peak


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_large_annotations_are_streamed_from_s3(tmp_path: Path, s3: str) -> None:
    write_files(tmp_path)
    target = bucket(s3, "large")
    upload(tmp_path / "anno", target, "anno")
    upload(tmp_path / "out", target, "out")
    wanted, least = score(tmp_path, s3, "anno", "out", "results")
    found, peak = score(tmp_path, s3, "s3://large/anno", "s3://large/out", "s3://large/results")
    assert found == wanted
    kept = {each.key.removeprefix("results/") for each in target.objects.filter(Prefix="results/")}
    # annotations in a bucket have no byte offsets that a page could read
    assert kept == {path.name for path in (tmp_path / "results").iterdir()} - {"samples.index"}
    # 16 MB of buffers a file that is being read, and the client; nothing that grows with the data
    assert peak < least + 150, (peak, least)
    proxy = CuttingProxy(s3, after=3_000_000, times=2)
    again, _ = score(tmp_path, proxy.address, "s3://large/anno", "s3://large/out", "s3://large/again")
    proxy.close()
    assert proxy.cuts == 2 and again == wanted
    print(f"{MEGABYTES} MB: peak {peak} MB from S3, {least} MB from disk")

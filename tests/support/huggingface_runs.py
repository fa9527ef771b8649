"""Runs of a tiny checkpoint in one process, since importing torch takes seconds: `huggingface_runs.py FOLDER DATA`.

Prints JSON: for each run why it stopped, its answers, and the identity in its manifest.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from sightline.api.evaluation import evaluate
from tests.support.tiny_checkpoint import write
from tests.support.worlds import journal

CODE = "open({path!r}, 'w').write('x')\nfrom transformers import LlavaConfig as EvilConfig\n"


def main(folder: Path, data: str) -> None:
    good, evil, pickled = (folder / name for name in ("good", "evil", "pickled"))
    write(good)
    for copy in (evil, pickled):
        shutil.copytree(good, copy)
    config = json.loads((evil / "config.json").read_text())
    names = {"AutoConfig": "evil.EvilConfig", "AutoModelForImageTextToText": "evil.EvilModel"}
    (evil / "config.json").write_text(json.dumps({**config, "model_type": "evil", "auto_map": names}))
    (evil / "evil.py").write_text(CODE.format(path=str(folder / "touched")))
    (pickled / "model.safetensors").unlink()
    (pickled / "pytorch_model.bin").write_bytes(b"\x80\x04cos\nsystem\n.")

    results = {}

    def run(name: str, checkpoint: Path, **settings: Any) -> None:
        result = evaluate(
            "simulation", data=data, model=f"hf/{checkpoint}", max_tokens=6, output_dir=str(folder / name), **settings
        )
        results[name] = {
            "stopped": str(result.stopped or ""),
            "answers": [line for line in journal(result.folder) if line["type"] == "answer"],
            "identity": json.loads((result.folder / "manifest.json").read_text())["identity"],
            "touched": (folder / "touched").exists(),
        }

    run("batches", good)
    run("single", good, model_args={"batch_size": 1})
    run("blind", good, blind=True)
    run("sampled", good, temperature=1.0, model_args={"dtype": "bfloat16"})
    run("untrusted", evil)
    run("trusted", evil, model_args={"trust_remote_code": True})
    run("pickled", pickled)
    print(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

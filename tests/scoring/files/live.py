"""A live run of a column suite on loopback: a server that gives each question a reply of the test's choice."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from PIL import Image

from sightline import evaluate
from sightline.api.evaluation import Result
from tests.scoring.files.worlds import Line, write_lines

Ending = tuple[str, str]
"""The text of a reply, and how it ended: `stop`, `length`, `content_filter`, or `fail` for a rejected request."""


def picture(width: int = 200, height: int = 100) -> str:
    """A PNG as base64."""
    out = io.BytesIO()
    Image.new("RGB", (width, height)).save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def lines(task: str, truths: Iterable[str], name: str = "s", frames: str = "") -> list[Line]:
    """One annotation a truth, each with a picture and a question of its own."""
    return [
        {
            "prompt": f"question {name}{number}.",
            "frames": frames or picture(),
            "gt": truth,
            "task": task,
            "source": f"img/{name}{number}.png",
        }
        for number, truth in enumerate(truths)
    ]


@contextmanager
def replying(endings: Mapping[str, Ending], asked: list[str] | None = None) -> Iterator[str]:
    """The address of a server that answers each question, found by its text, as told."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send({"data": [{"id": "m"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            question = next(part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text")
            if asked is not None:
                asked.append(question)
            text, stop = endings[question]
            if stop == "fail":
                self.send({"error": {"message": "this request is rejected"}}, 400)
            else:
                message = {"role": "assistant", "content": text}
                self.send({"choices": [{"message": message, "finish_reason": stop}]})

        def send(self, content: Any, status: int = 200) -> None:
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def run_live(
    anno: Path, endings: Mapping[str, Ending], out: Path, asked: list[str] | None = None, **settings: Any
) -> Result:
    """Ask the server about all annotations."""
    with replying(endings, asked) as address:
        return evaluate(
            "remote-sensing",
            data=str(anno),
            model="m",
            api_base=(address,),
            api_key=("none",),
            output_dir=str(out),
            **settings,
        )


def write_outputs(anno: Path, endings: Mapping[str, Ending], out: Path) -> Path:
    """The same replies as output files; what was cut off or refused says nothing."""
    for path in sorted(anno.glob("*.txt")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        said = [endings[row["prompt"]] for row in rows]
        write_lines(
            out / f"{path.stem}_output.txt", [{"model_output": text if stop == "stop" else ""} for text, stop in said]
        )
    return out

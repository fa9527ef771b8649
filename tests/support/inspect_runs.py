"""Evaluations by Inspect on loopback servers, in a process of its own: Inspect leaves event loops and connections open.

`inspect_runs.py suites FOLDER SUITE DATA BASE_URL …` writes logs into FOLDER/SUITE; `inspect_runs.py ships FOLDER
BASE_URL` one of a task of two epochs with a picture, a long text and a sample that breaks, as an archive and as JSON.
"""

from __future__ import annotations

import base64
import io
import sys
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import write_eval_log
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, Model, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, solver
from PIL import Image

LONG = "Is there a ship? " * 20
"""Long enough for Inspect to put it aside as an attachment."""
ONE_BY_ONE: dict[str, Any] = {"display": "none", "max_samples": 1, "max_connections": 1}


def model_at(base: str) -> Model:
    return get_model("openai-api/loopback/m", base_url=base, api_key="none", memoize=False)


def evaluate_suites(folder: str, *arguments: str) -> None:
    for suite, data, base in zip(arguments[::3], arguments[1::3], arguments[2::3], strict=True):
        (log,) = inspect_eval(
            f"sightline/{suite}",
            model=model_at(base),
            task_args={"data": data},
            log_dir=f"{folder}/{suite}",
            **ONE_BY_ONE,
        )
        if log.status != "success":
            sys.exit(f"{suite}: {log.error}")


def picture() -> bytes:
    out = io.BytesIO()
    Image.new("L", (40, 40), 99).save(out, "PNG")
    return out.getvalue()


@solver
def answering() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id == "broken":
            raise ValueError("no luck")
        return await generate(state)

    return solve


def evaluate_ships(folder: str, base: str) -> None:
    uri = "data:image/png;base64," + base64.b64encode(picture()).decode()
    shown: Any = [ChatMessageUser(content=[ContentImage(image=uri), ContentText(text=LONG)])]
    samples = [
        Sample(id=1, input=shown, target="Yes"),
        Sample(id="two", input="Is there a plane?", target=["No"]),
        Sample(id="broken", input="Is there a car?", target="Yes"),
    ]
    (log,) = inspect_eval(
        Task(dataset=samples, solver=answering(), scorer=match(), name="ships"),
        model=model_at(base),
        log_dir=folder,
        log_format="eval",
        epochs=2,
        fail_on_error=False,
        **ONE_BY_ONE,
    )
    write_eval_log(log, f"{folder}/log.json")


if __name__ == "__main__":
    {"suites": evaluate_suites, "ships": evaluate_ships}[sys.argv[1]](*sys.argv[2:])

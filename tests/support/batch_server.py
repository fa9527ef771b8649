"""A real HTTP server on loopback with the files and batches of the Batch API, that misbehaves as it is told.

Run as a program it prints its port and serves until it is ended. `--plan` is a JSON list, one entry for each batch in
the order of their making (the last counts for all further ones), of what happens to it:

    looks          so many looks find it in progress
    while          it is in progress while there is a file of this name
    end            completed (as a rule), expired, cancelled, failed
    fail           every so-manieth request gets a 500 in the error file
    refuse         every so-manieth request gets a 400 in the error file
    leave_out      every so-manieth request gets no line at all
    spoil          adds lines: unknown ids, repeated ones, torn JSON, no UTF-8
    long           adds one line of so many MB
    break          so many downloads of the output break off in the middle
    lose_create    the batch is made, but the connection is cut before the answer

Every request that a batch holds is one line of the log, with the number of the batch.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from pathlib import Path
from typing import Any

from aiohttp import web

if __package__:
    from tests.support.loopback import answer_to, drawn_answer, question_in
else:
    from loopback import answer_to, drawn_answer, question_in


class Server:
    def __init__(self, args: argparse.Namespace) -> None:
        self.plan: list[dict[str, Any]] = json.loads(args.plan)
        self.reply: str = args.reply
        self.draws: bool = args.draws
        self.log = Path(args.log).open("a", buffering=1) if args.log else None  # noqa: SIM115  # until the end
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.plans: dict[str, dict[str, Any]] = {}
        self.breaks: dict[str, int] = {}

    def keep(self, content: bytes) -> str:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return name

    async def upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        file = form["file"]
        assert isinstance(file, web.FileField)
        return web.json_response({"id": self.keep(file.file.read()), "object": "file"})

    async def create(self, request: web.Request) -> web.Response:
        wanted = await request.json()
        assert wanted["endpoint"] == "/v1/chat/completions" and wanted["completion_window"]
        number = len(self.batches)
        plan = dict(self.plan[min(number, len(self.plan) - 1)])
        name = f"batch_{number + 1}"
        self.plans[name] = plan
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "status": "validating",
            "input_file_id": wanted["input_file_id"],
            "completion_window": wanted["completion_window"],
        }
        if plan.get("lose_create"):
            assert request.transport is not None
            request.transport.abort()
        return web.json_response(self.batches[name])

    async def listing(self, request: web.Request) -> web.Response:
        return web.json_response({"data": list(reversed(self.batches.values())), "has_more": False})

    async def look(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        batch, plan = self.batches[name], self.plans[name]
        if batch["status"] in ("validating", "in_progress"):
            plan["looks"] = plan.get("looks", 0) - 1
            goes_on = plan["looks"] >= 0 or ("while" in plan and os.path.exists(plan["while"]))  # noqa: ASYNC240, PTH110
            batch["status"] = "in_progress" if goes_on else plan.get("end", "completed")
            if batch["status"] not in ("in_progress", "failed"):
                self.finish(name)
            if batch["status"] == "failed":
                batch["errors"] = {"data": [{"code": plan.get("code", "invalid"), "message": "no such model"}]}
        return web.json_response(batch)

    def finish(self, name: str) -> None:
        batch, plan = self.batches[name], self.plans[name]
        output, errors = [], []
        for number, line in enumerate(self.files[batch["input_file_id"]].splitlines(), 1):
            row = json.loads(line)
            assert row["method"] == "POST" and row["url"] == "/v1/chat/completions"
            question = question_in(json.dumps(row["body"]).encode())
            if self.log:
                print(json.dumps([question, name]), file=self.log)
            text = drawn_answer(question, row["body"]["seed"]) if self.draws else self.reply or answer_to(question)
            kind, made = self.result(number, row["custom_id"], text, plan)
            if made is not None:
                (output if kind == "output" else errors).append(json.dumps(made).encode())
        if plan.get("spoil"):
            output[1:1] = [output[0], b'{"custom_id": "nobody"}', b'{"custom_id": "x', b"\xff\xfe", b"", b"[]"]
        if plan.get("long"):
            output.insert(0, b'{"custom_id": "' + b"x" * int(plan["long"] * 1e6) + b'"}')
        if output:
            batch["output_file_id"] = self.keep(b"\n".join(output) + b"\n")
            self.breaks[batch["output_file_id"]] = plan.get("break", 0)
        if errors:
            batch["error_file_id"] = self.keep(b"\n".join(errors) + b"\n")

    def result(self, number: int, name: str, text: str, plan: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
        def every(word: str) -> bool:
            return bool(plan.get(word)) and number % plan[word] == 0

        if plan.get("end") in ("expired", "cancelled") and number % 2 == 0:
            code = "batch_" + plan["end"]
            late = {"custom_id": name, "response": None, "error": {"code": code, "message": "not in time"}}
            return "error", late if plan["end"] == "expired" else None
        if every("leave_out"):
            return "output", None
        if every("fail") or every("refuse"):
            body = {"error": {"message": "oops"}}
            status = 500 if every("fail") else 400
            return "error", {"custom_id": name, "response": {"status_code": status, "body": body}, "error": None}
        body = {
            "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 2},
        }
        return "output", {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}

    async def content(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        whole = self.files[name]
        if self.breaks.get(name, 0) > 0:
            self.breaks[name] -= 1
            response = web.StreamResponse(headers={"Content-Length": str(len(whole))})
            await response.prepare(request)
            await response.write(whole[: len(whole) // 2])
            assert request.transport is not None
            request.transport.abort()
            return response
        return web.Response(body=whole)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plan", default="[{}]")
    parser.add_argument("--log", default="")
    parser.add_argument("--reply", default="", help="answer this to everything")
    parser.add_argument("--draws", action="store_true", help="answer by the seed of a request")
    server = Server(parser.parse_args())
    app = web.Application(client_max_size=2**30)
    app.router.add_post("/v1/files", server.upload)
    app.router.add_get("/v1/files/{name}/content", server.content)
    app.router.add_post("/v1/batches", server.create)
    app.router.add_get("/v1/batches", server.listing)
    app.router.add_get("/v1/batches/{name}", server.look)

    async def serve() -> None:
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()

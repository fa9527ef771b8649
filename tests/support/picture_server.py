"""A real HTTP server on loopback that decodes the images of requests, logs them, and sees what is large enough.

It knows the questions of `tests.support.worlds.write_questions` and answers number k correctly if its image has
`--needed[k % n]` pixels or more, and wrongly if not. Prompt tokens are one for every 28 × 28 pixels. Each request is
a line of the log: the question, and media type, decoded format, mode, size and detail of each image.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from loopback import Connection, Server, make_parser, question_in
from PIL import Image


class PictureServer(Server):
    async def respond(self, head: bytes, body: bytes, connection: Connection) -> None:
        content = json.loads(body)["messages"][-1]["content"]
        images, pixels = [], 0
        for part in content if isinstance(content, list) else ():
            if part["type"] == "image_url":
                kind, _, data = part["image_url"]["url"].partition(";base64,")
                with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as image:
                    image.load()
                    images.append([kind[5:], image.format, image.mode, image.size, part["image_url"].get("detail")])
                    pixels += image.width * image.height
        question = question_in(body)
        if self.log:
            print(json.dumps([question, images]), file=self.log)
        found = re.search(r"\d+", question)
        number = int(found.group()) if found else 0
        needed = self.args.needed[number % len(self.args.needed)]
        is_right = (1 + number) % 2 == 0
        text = self.args.reply or str(is_right if pixels >= needed else not is_right)
        message = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 10 + pixels // 784, "completion_tokens": 2}
        connection.write(self.encode(200, json.dumps({"choices": [message], "usage": usage}).encode()))


async def serve(args: argparse.Namespace) -> None:
    server = PictureServer(args)
    listening = await asyncio.get_running_loop().create_server(lambda: Connection(server), "127.0.0.1", 0)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await listening.serve_forever()


def main() -> None:
    parser = make_parser()
    parser.add_argument("--needed", type=int, nargs="+", default=[0], help="pixels that questions need, in turn")
    parser.set_defaults(faults="{}", seed=0, bare=False)
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()

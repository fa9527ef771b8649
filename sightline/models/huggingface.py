"""Checkpoints of Hugging Face transformers, loaded in this process (`hf/PATH`), with dynamic batching of requests."""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sightline.core.config import RunConfig
from sightline.core.errors import AccessError, ConfigError, RejectedError, UsageError
from sightline.core.interfaces import Request
from sightline.core.records import Media, Message, Prompt, Reply, Text
from sightline.data.media import IMAGE_FORMATS, load_bytes, load_text
from sightline.i18n.printable import printable

if TYPE_CHECKING:
    from PIL.Image import Image

_DEFAULT_MAX_TOKENS = 2048
_DTYPES = ("auto", "float32", "float16", "bfloat16")


class HuggingFaceOptions(Struct, frozen=True, kw_only=True):
    """What `-M key=value` sets; other keys go to `generate`."""

    device: str = ""
    """Such as `cuda:1` or `cpu`; default: the first accelerator, else the CPU."""
    dtype: str = "auto"
    batch_size: int = 8
    trust_remote_code: bool = False
    """Run the Python code of the checkpoint. Off by default: a checkpoint is data of strangers."""


class _Conversation(Struct):
    """The messages of a prompt as chat templates take them, with images apart."""

    messages: list[dict[str, Any]]
    images: list[Any]


class HuggingFaceModel:
    """An image-text-to-text model with its processor. Requests that are waiting at the same time form a batch."""

    def __init__(self, path: str, config: RunConfig) -> None:
        self.name = f"hf/{path}"
        self._path = Path(path).expanduser()
        if not (self._path / "config.json").is_file():
            raise UsageError(
                "{path} is not a checkpoint: it has no config.json.",
                hint="Give the folder of a checkpoint: --model hf/FOLDER. Nothing is downloaded.",
                path=path,
            )
        self._options, self._generation = _split_settings(config)
        missing = [name for name in ("torch", "transformers") if find_spec(name) is None]
        if missing:
            raise UsageError(
                "hf/ requires {packages}.",
                hint="pip install 'sightline[hf]'. PyTorch for your device: https://pytorch.org/get-started",
                packages=", ".join(missing),
            )
        self._system = config.system
        self._loaded: _LoadedModel | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="hf")
        self._waiting: list[tuple[_Conversation, asyncio.Future[Reply]]] = []
        self._worker: asyncio.Task[None] | None = None

    def identity(self) -> Mapping[str, Any]:
        """Names, sizes and times of the checkpoint's files, and the settings of generation."""
        files = sorted(path for path in self._path.iterdir() if path.is_file())
        digest = hashlib.sha256()
        for file in files:
            status = file.stat()
            digest.update(f"{file.name}/{status.st_size}/{status.st_mtime_ns}\n".encode())
        return {
            "checkpoint": str(self._path.resolve()),
            "files": digest.hexdigest()[:16],
            "dtype": self._options.dtype,
            "system": self._system,
            **self._generation,
        }

    async def ask(self, request: Request) -> Reply:
        """The model's reply; it is generated together with those of other waiting requests."""
        conversation = await asyncio.to_thread(_read_conversation, request.prompt, self._system)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append((conversation, future))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return await future

    async def close(self) -> None:
        """Stop generating, and release the model."""
        if self._worker is not None:
            self._worker.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._loaded = None

    async def _work(self) -> None:
        """Generate replies batch by batch until no request is waiting."""
        await asyncio.sleep(0)  # requests of the same moment belong into one batch
        while self._waiting:
            has_images = bool(self._waiting[0][0].images)  # processors do not mix prompts with and without images
            batch = [item for item in self._waiting if bool(item[0].images) == has_images][: self._options.batch_size]
            chosen = {id(future) for _, future in batch}
            self._waiting = [item for item in self._waiting if id(item[1]) not in chosen]
            batch = [item for item in batch if not item[1].done()]  # cancelled meanwhile
            if batch:
                await self._answer(batch)

    async def _answer(self, batch: list[tuple[_Conversation, asyncio.Future[Reply]]]) -> None:
        loop = asyncio.get_running_loop()
        conversations = [conversation for conversation, _ in batch]
        try:
            replies = await loop.run_in_executor(self._thread, self._generate, conversations)
        except BaseException as error:  # no request may wait for a reply that never comes
            for _, future in batch:
                if not future.done():
                    future.set_exception(_as_rejected(error) if not isinstance(error, AccessError) else error)
            if not isinstance(error, Exception):
                raise
            return
        for (_, future), reply in zip(batch, replies, strict=True):
            if future.done():
                continue
            if isinstance(reply, Reply):
                future.set_result(reply)
            else:
                future.set_exception(reply)

    def _generate(self, conversations: list[_Conversation]) -> Sequence[Reply | RejectedError]:
        if self._loaded is None:
            self._loaded = _load(self._path, self._options)
        loaded = self._loaded
        try:
            return loaded.generate(conversations, self._generation)
        except Exception as error:
            if len(conversations) == 1:
                return [_as_rejected(error)]
        # memory was short, or one of them can't be processed: each by itself
        replies: list[Reply | RejectedError] = []
        for conversation in conversations:
            try:
                replies += loaded.generate([conversation], self._generation)
            except Exception as error:
                replies.append(_as_rejected(error))
        return replies


def _as_rejected(error: BaseException) -> RejectedError:
    return RejectedError("{error}: {why}", "generation", error=type(error).__name__, why=printable(str(error), 300))


def _split_settings(config: RunConfig) -> tuple[HuggingFaceOptions, dict[str, Any]]:
    """The options of this module and the arguments of `generate` among the settings."""
    given = dict(config.model_args)
    own = {name: given.pop(name) for name in HuggingFaceOptions.__struct_fields__ if name in given}
    options = HuggingFaceOptions(**own)
    if (
        not isinstance(options.device, str)
        or options.dtype not in _DTYPES
        or isinstance(options.batch_size, bool)
        or not isinstance(options.batch_size, int)
        or options.batch_size < 1
        or not isinstance(options.trust_remote_code, bool)
    ):
        raise ConfigError(
            "Invalid options of hf/: {options}.",
            hint="device is a name such as cuda:0, dtype one of {dtypes}, batch_size a positive integer, "
            "trust_remote_code true or false.",
            options=", ".join(f"{name}={value}" for name, value in own.items()),
            dtypes=", ".join(_DTYPES),
        )
    generation: dict[str, Any] = {"max_new_tokens": config.max_tokens or _DEFAULT_MAX_TOKENS, "do_sample": False}
    if config.temperature is None:
        del generation["do_sample"]  # as the checkpoint says
    elif config.temperature > 0:
        generation |= {"do_sample": True, "temperature": config.temperature, "seed": config.seed}
    generation |= given
    return options, {key: value for key, value in generation.items() if value is not None}


def _read_conversation(prompt: Prompt, system: str) -> _Conversation:
    """Messages in the form of chat templates, and the decoded images in their order."""
    conversation = _Conversation([], [])
    messages = (Message("system", (Text(system),)), *prompt.messages) if system else prompt.messages
    for message in messages:
        content: list[dict[str, str]] = []
        for part in message.parts:
            if isinstance(part, Text):
                content.append({"type": "text", "text": part.text})
            elif part.kind == "text":
                content.append({"type": "text", "text": load_text(part)})
            elif part.kind == "video":
                raise RejectedError("hf/ does not take videos.", kind="media")
            else:
                conversation.images.append(_decode_image(part))
                content.append({"type": "image"})
        conversation.messages.append({"role": message.role, "content": content})
    return conversation


def _decode_image(media: Media) -> Image:
    from PIL import Image

    try:
        # other formats run other programs (EPS), or are none of an image
        with Image.open(io.BytesIO(load_bytes(media)), formats=IMAGE_FORMATS) as image:
            return image.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise RejectedError("An image cannot be read: {why}", kind="media", why=printable(str(error), 200)) from None


class _LoadedModel:
    """A model and its processor in memory."""

    def __init__(self, model: Any, processor: Any) -> None:
        self._model, self._processor = model, processor
        tokenizer = getattr(processor, "tokenizer", processor)
        tokenizer.padding_side = "left"  # replies begin where the prompts of a batch end
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        self._tokenizer = tokenizer

    def generate(self, conversations: list[_Conversation], settings: Mapping[str, Any]) -> list[Reply]:
        """Generate one reply per conversation, all in one batch."""
        import torch

        texts = [
            self._processor.apply_chat_template(item.messages, add_generation_prompt=True, tokenize=False)
            for item in conversations
        ]
        images = [item.images for item in conversations]
        media = {"images": images} if any(images) else {}
        inputs = self._processor(text=texts, **media, padding=True, return_tensors="pt").to(self._model.device)
        arguments = dict(settings)
        if (seed := arguments.pop("seed", None)) is not None:
            torch.manual_seed(seed)
        with torch.inference_mode():
            output = self._model.generate(**inputs, pad_token_id=self._tokenizer.pad_token_id, **arguments)
        prompt_length = inputs["input_ids"].shape[1]
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        return [
            self._reply(row[prompt_length:].tolist(), length, arguments["max_new_tokens"])
            for row, length in zip(output, lengths, strict=True)
        ]

    def _reply(self, tokens: list[int], tokens_in: int, max_tokens: int) -> Reply:
        ends = self._model.generation_config.eos_token_id
        ends = {ends} if isinstance(ends, int) else set(ends or ())
        length = next((index + 1 for index, token in enumerate(tokens) if token in ends), len(tokens))
        is_complete = length < max_tokens or (length > 0 and tokens[length - 1] in ends)
        return Reply(
            text=self._tokenizer.decode(tokens[:length], skip_special_tokens=True),
            stop="complete" if is_complete else "truncated",
            tokens_in=int(tokens_in),
            tokens_out=length,
        )


def _load(path: Path, options: HuggingFaceOptions) -> _LoadedModel:
    """Load a checkpoint: safetensors only (no pickles), from this folder only, its code only where it is trusted."""
    common = {"local_files_only": True, "trust_remote_code": options.trust_remote_code}
    try:
        import torch
        from transformers import AutoModelForImageTextToText, AutoProcessor
        from transformers.utils import logging

        logging.disable_progress_bar()
        logging.set_verbosity_error()
        dtype = "auto" if options.dtype == "auto" else getattr(torch, options.dtype)
        processor = AutoProcessor.from_pretrained(path, **common)
        model = AutoModelForImageTextToText.from_pretrained(path, dtype=dtype, use_safetensors=True, **common)
        model = model.to(options.device or _default_device()).eval()
        return _LoadedModel(model, processor)
    except Exception as error:  # whatever the checkpoint lacks, the run can't continue without it
        raise AccessError(
            "The checkpoint {path} cannot be loaded: {error}: {why}",
            hint="It needs a configuration, a processor with a chat template, and weights as safetensors. "
            "If it brings its own Python code and you trust it: -M trust_remote_code=true",
            path=path,
            error=type(error).__name__,
            why=printable(str(error), 500),
        ) from None


def _default_device() -> str:
    import torch

    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    return str(accelerator) if accelerator is not None else "cpu"

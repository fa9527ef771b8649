"""Write a LLaVA checkpoint with tiny widths, random weights and a tokenizer of bytes: `tiny_checkpoint.py FOLDER`.

Needs torch and transformers. Replies are noise; loading, chat template, image features and generation are real.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

try:
    from transformers import CLIPImageProcessorPil as ImageProcessor  # without torchvision
except ImportError:
    from transformers import CLIPImageProcessor as ImageProcessor

TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{% for part in message.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}{% endfor %}{% endfor %}<|assistant|>"
)
SPECIAL = ["<pad>", "<s>", "</s>", "<image>", "<|system|>", "<|user|>", "<|assistant|>"]
IMAGE, PATCH = 32, 16


def write(folder: Path) -> None:
    """Write the model and its processor."""
    torch.manual_seed(0)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={sign: index for index, sign in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", chat_template=TEMPLATE
    )
    processor = LlavaProcessor(
        image_processor=ImageProcessor(size={"shortest_edge": IMAGE}, crop_size={"height": IMAGE, "width": IMAGE}),
        tokenizer=fast,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )
    text = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=8192,
        pad_token_id=fast.pad_token_id,
        bos_token_id=fast.bos_token_id,
        eos_token_id=fast.eos_token_id,
    )
    vision = CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=2,
        image_size=IMAGE,
        patch_size=PATCH,
        projection_dim=32,
    )
    config = LlavaConfig(
        vision_config=vision, text_config=text, image_token_id=fast.convert_tokens_to_ids("<image>"), image_seq_length=4
    )
    model = LlavaForConditionalGeneration(config).eval()
    model.generation_config.eos_token_id = fast.eos_token_id
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


if __name__ == "__main__":
    write(Path(sys.argv[1]))

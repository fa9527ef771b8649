"""Secrets in command lines (`--launch`) are masked wherever they stand; everything else stays readable."""

from __future__ import annotations

import pytest

from sightline.core.secret_masking import mask_command


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("vllm serve ./a --port {port} --api-key abc -tp 2", "vllm serve ./a --port {port} --api-key *** -tp 2"),
        ("env VLLM_API_KEY=x vllm --port {port}", "env VLLM_API_KEY=*** vllm --port {port}"),
        ("docker run -e HF_TOKEN=x image", "docker run -e HF_TOKEN=*** image"),
        ("sh -c 'KEY=x vllm --port {port}'", "sh -c 'KEY=*** vllm --port {port}'"),
        ("vllm --api-key -x --port {port}", "vllm --api-key *** --port {port}"),
        ("vllm --api-key 123456789012", "vllm --api-key ***"),
        ("vllm '--api-key=a b'", "vllm --api-key=***"),
        ("vllm --api-key one two --port 1", "vllm --api-key *** *** --port 1"),
        ("""vllm --extra '{"api_key": "x", "n": 3}'""", """vllm --extra '{"api_key": "***", "n": 3}'"""),
        ("vllm --max-num-batched-tokens 8192 ./model", "vllm --max-num-batched-tokens 8192 ./model"),
        ("vllm --header 'Authorization: Bearer abcdefgh'", "vllm --header ***"),
        ("vllm 'a quote that does not close", "***"),
    ],
)
def test_only_secrets_are_masked(command: str, shown: str) -> None:
    assert mask_command(command) == shown

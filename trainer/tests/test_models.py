"""Families of `transformers`: counts, groups, and what they cannot be."""

from __future__ import annotations

import pytest
from helpers import model_config

from cdr_trainer import models
from cdr_trainer.config import Config
from cdr_trainer.errors import UserError
from cdr_trainer.optimizer import decay_groups

GPT2 = {
    "family": "gpt2", "norm": "layer", "gated": False, "bias": True, "qkv_bias": True, "positions": "learned",
    "activation": "gelu_tanh", "tied": True, "d_ff": 128,
}  # fmt: skip
NEOX = {
    **GPT2,
    "family": "gpt_neox",
    "positions": "rope",
    "rotary_fraction": 0.25,
    "parallel_residual": True,
    "tied": False,
}

# d = 32, 2 layers, vocabulary 264, context 64
EMBEDDING, BLOCK = 264 * 32, 4 * (32 * 32 + 32) + (32 * 128 + 128) + (128 * 32 + 32) + 2 * 64
COUNTS = {
    "gpt2": EMBEDDING + 64 * 32 + 2 * BLOCK + 64,
    "gpt_neox": 2 * EMBEDDING + 2 * BLOCK + 64,
    "llama": 37_536,
}


@pytest.mark.parametrize("changes", [{}, GPT2, NEOX])
def test_counts(changes: dict) -> None:
    family = changes.get("family", "llama")
    config = Config(**model_config(**{**changes, "parameters": COUNTS[family]}))
    model = models.build(config, 256, "sdpa")
    groups = decay_groups(model, 0.1)
    assert all(parameter.dim() >= 2 for parameter in groups[0]["params"])
    positions = 1 if family == "gpt2" else 0
    assert sum(parameter.dim() >= 2 for parameter in groups[1]["params"]) == positions
    assert sum(p.numel() for group in groups for p in group["params"]) == COUNTS[family]


def test_a_wrong_count_says_both_numbers() -> None:
    with pytest.raises(UserError, match="has 37,536 parameters and the plan says 37,000"):
        models.build(Config(**model_config(parameters=37_000)), 256, "sdpa")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"gated": False}, "`gated` False"),
        ({**GPT2, "kv_heads": 1}, "`kv_heads` 1"),
    ],
)
def test_what_a_family_cannot_be(changes: dict, said: str) -> None:
    with pytest.raises(UserError, match=said):
        models.configuration(Config(**model_config(**changes)), 256)

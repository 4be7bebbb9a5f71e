"""Experts under autocast."""

from __future__ import annotations

import json

import pytest
import torch
from helpers import model_config
from transformers.integrations.moe import grouped_mm_experts_forward

from cdr_trainer import models
from cdr_trainer.config import Config

MIXTURE = {
    "family": "mixtral",
    "build": {
        "model": "MixtralForCausalLM",
        "config": "MixtralConfig",
        "values": {
            "vocab_size": 264,
            "hidden_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "intermediate_size": 64,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "max_position_embeddings": 64,
        },
    },
    "parameters": 45_792,
}


@pytest.fixture
def model():
    torch.manual_seed(0)
    text = json.dumps(model_config(**MIXTURE))
    return models.build(json.loads(text, object_hook=lambda fields: Config(**fields)), 256, "sdpa").train()


def products(model, enabled: bool) -> list[torch.dtype]:
    """Types of what the experts' products keep for backward, of the width that only experts have."""
    found = []

    def keep(tensor):
        if tensor.dim() == 2 and tensor.shape[0] == 2 * 16 and tensor.shape[1] == 64:
            found.append(tensor.dtype)
        return tensor

    ids = torch.randint(0, 264, (1, 16))
    kept = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
    with kept, torch.autocast("cpu", torch.bfloat16, enabled=enabled):
        loss = model(input_ids=ids, labels=ids, use_cache=False).loss
    loss.backward()
    return found


def test_autocast_narrows_what_experts_keep(model) -> None:
    narrow, wide = products(model, True), products(model, False)
    assert len(narrow) == len(wide) > 0
    assert set(narrow) == {torch.bfloat16}
    assert set(wide) == {torch.float32}
    assert {parameter.grad.dtype for parameter in model.parameters()} == {torch.float32}


def test_they_give_what_wide_ones_give(model) -> None:
    experts = next(module for name, module in model.named_modules() if name.endswith(".experts"))
    states = torch.randn(16, 32)
    chosen = torch.stack([torch.randperm(4)[:2] for _ in range(16)])
    weights = torch.full((16, 2), 0.5)
    with torch.autocast("cpu", torch.bfloat16):
        narrow = experts(states, chosen, weights)
    wide = grouped_mm_experts_forward(experts, states, chosen, weights)
    assert narrow.dtype == torch.float32
    assert torch.allclose(narrow, wide, atol=0.02 * wide.abs().max().item())

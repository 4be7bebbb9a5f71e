"""The module that a plan names: built by its class, counted, refused where the installed library has none."""

from __future__ import annotations

import pytest
from helpers import model_config

from cdr_trainer import models
from cdr_trainer.config import Config
from cdr_trainer.errors import UserError
from cdr_trainer.optimizer import decay_groups

# d = 32, 2 layers, vocabulary 264, context 64
EMBEDDING, BLOCK = 264 * 32, 4 * (32 * 32 + 32) + (32 * 128 + 128) + (128 * 32 + 32) + 2 * 64
GPT2 = {
    "family": "gpt2",
    "build": {
        "model": "GPT2LMHeadModel",
        "config": "GPT2Config",
        "values": {
            "vocab_size": 264,
            "n_positions": 64,
            "n_embd": 32,
            "n_layer": 2,
            "n_head": 2,
            "n_inner": 128,
            "resid_pdrop": 0,
        },
    },
    "parameters": EMBEDDING + 64 * 32 + 2 * BLOCK + 64,
}


def config(**changes) -> Config:
    return models_config(model_config(**changes))


def models_config(value):
    """As the file is read: objects inside objects."""
    if isinstance(value, dict):
        return Config(**{name: models_config(inner) for name, inner in value.items()})
    return value


@pytest.mark.parametrize(("changes", "positions"), [({}, 0), (GPT2, 1)])
def test_counts_and_groups(changes: dict, positions: int) -> None:
    model = models.build(config(**changes), 256, "sdpa")
    groups = decay_groups(model, 0.1)
    assert all(parameter.dim() >= 2 for parameter in groups[0]["params"])
    assert sum(parameter.dim() >= 2 for parameter in groups[1]["params"]) == positions
    assert sum(p.numel() for group in groups for p in group["params"]) == changes.get("parameters", 37_536)


def test_a_wrong_count_says_both_numbers() -> None:
    with pytest.raises(UserError, match="has 37,536 parameters and the plan says 37,000"):
        models.build(config(parameters=37_000), 256, "sdpa")


def test_what_json_writes_as_0_stays_a_fraction() -> None:
    assert isinstance(models.configuration(config(values={"attention_dropout": 0}), 256).attention_dropout, float)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (None, "no class builds this llama model"),
        ({"model": "NoSuchModel", "config": "LlamaConfig", "values": {}}, "has no NoSuchModel"),
    ],
)
def test_what_no_library_has(build: dict | None, said: str) -> None:
    with pytest.raises(UserError, match=said):
        models.build(config(build=build), 256, "sdpa")

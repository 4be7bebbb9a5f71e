"""Stages that train less than all of their model: adapters, frozen layers, frozen tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers import Bench, Result, deepspeed_config, model_config, train_config

from cdr_trainer import checkpoints
from cdr_trainer.config import Config
from cdr_trainer.errors import UserError

pytestmark = pytest.mark.slow

RANK, ALPHA, WIDTH, INNER, LAYERS = 4, 8, 32, 64, 2
MODULES = ["self_attn.q_proj", "self_attn.v_proj", "mlp.down_proj"]
ADAPTERS = LAYERS * RANK * (4 * WIDTH + INNER + WIDTH)
TABLE, BLOCK = 264 * WIDTH, 4 * WIDTH * WIDTH + 3 * WIDTH * INNER + 2 * WIDTH


def lora(world: int, steps: int, engine: str = "torch") -> dict[str, Any]:
    adapters = {"rank": RANK, "alpha": ALPHA, "dropout": 0.1, "modules": MODULES, "parameters": []}
    tuning = {"adapters": adapters, "layers": 0, "tables": False, "parameters": ADAPTERS}
    return train_config(world, steps, engine, tuning=tuning, from_input=True)


def settings(plain: dict[str, Any]) -> Config:
    return json.loads(json.dumps(plain), object_hook=lambda fields: Config(**fields))


def tensors(folder: Path, name: str = "model.safetensors") -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(str(folder / name))


def newest(result: Result) -> Path:
    found = checkpoints.newest_valid(result.run_dir)
    assert result.code == 0 and found is not None, result.stderr
    return found


@pytest.fixture(scope="module")
def pretrained(bench: Bench) -> Path:
    return newest(bench.run("train", train_config(1, 4), "tuning-base"))


@pytest.fixture(scope="module")
def tuned(bench: Bench, pretrained: Path) -> Result:
    config = lora(2, 6, "deepspeed")
    options = {"inputs": {"data": bench.data, "from": pretrained}, "deepspeed": deepspeed_config(config, 2)}
    return bench.run("train", config, "lora-zero2", **options)


def test_adapters_go_on_exactly(bench: Bench, pretrained: Path, tuned: Result) -> None:
    whole = newest(tuned)
    cut = bench.run_dir("lora-cut")
    shutil.copytree(tuned.run_dir, cut)
    shutil.rmtree(cut / "result")
    shutil.rmtree(cut / "checkpoints" / whole.name)
    config = lora(2, 6, "deepspeed")
    # What it was started from may be gone by then.
    elsewhere = cut / "elsewhere"
    shutil.copytree(pretrained, elsewhere)
    (elsewhere / "model.safetensors").write_bytes(b"")
    checkpoints.seal(elsewhere, {"step": 4}, {})
    options = {"inputs": {"data": bench.data, "from": elsewhere}, "deepspeed": deepspeed_config(config, 2)}
    resumed = newest(bench.run("train", config, "lora-cut", attempt=1, **options))
    ours, theirs = (tensors(one, "adapter_model.safetensors") for one in (whole, resumed))
    assert sum(one.numel() for one in ours.values()) == ADAPTERS
    assert all((ours[name] == theirs[name]).all() for name in ours)


def test_a_checkpoint_of_adapters_is_read_as_a_model(pretrained: Path, tuned: Result) -> None:
    import torch

    from cdr_trainer import models

    saved = newest(tuned)
    assert not (saved / "model.safetensors").exists()
    assert (saved.parent / "base" / "model.safetensors").samefile(pretrained / "model.safetensors")
    model = models.load(saved, settings(model_config()), 0, "sdpa")
    assert all(parameter.requires_grad for parameter in model.parameters())
    merged, base = model.state_dict(), tensors(pretrained)
    adapters = tensors(saved, "adapter_model.safetensors")
    assert merged.keys() == base.keys()
    for name, value in base.items():
        part = f"base_model.model.{name.removesuffix('.weight')}"
        update = torch.zeros(())
        if f"{part}.lora_A.weight" in adapters:
            update = adapters[f"{part}.lora_B.weight"] @ adapters[f"{part}.lora_A.weight"] * (ALPHA / RANK)
            assert update.abs().max() > 0
        assert torch.allclose(merged[name], value + update, atol=1e-6), name

    # A new file: the old one has a second name.
    (saved.parent / "base" / "config.json").unlink()
    (saved.parent / "base" / "config.json").write_text("{}")
    with pytest.raises(UserError, match=r"config\.json has 2 bytes"):
        models.load(saved, settings(model_config()), 0, "sdpa")


def test_another_stage_stands_beside_what_adapters_had_learned(bench: Bench, pretrained: Path) -> None:
    inputs = {"data": bench.data, "from": pretrained}
    inputs["from"] = newest(bench.run("train", lora(1, 2), "lora-first", inputs=inputs))
    after = newest(bench.run("train", lora(1, 1), "lora-after", inputs=inputs))
    before, below = tensors(pretrained), tensors(after.parent / "base")
    assert {name for name in before if (before[name] != below[name]).any()} == {
        f"model.layers.{layer}.{name}.weight" for layer in range(LAYERS) for name in MODULES
    }


def test_what_is_frozen_stays_as_it_is(bench: Bench, pretrained: Path) -> None:
    left = TABLE + BLOCK + WIDTH
    tuning = {"adapters": None, "layers": 1, "tables": True, "parameters": left}
    config = train_config(1, 2, tuning=tuning, from_input=True)
    result = bench.run("train", config, "frozen", inputs={"data": bench.data, "from": pretrained})
    before, after = tensors(pretrained), tensors(newest(result))
    for key, value in before.items():
        is_frozen = key.startswith(("model.layers.0.", "model.embed_tokens."))
        assert bool((value == after[key]).all()) == is_frozen, key


def test_a_plan_that_counts_otherwise_is_refused() -> None:
    from cdr_trainer import models, tuning

    config = lora(1, 2)
    config["tuning"]["parameters"] = 1
    model = models.build(settings(model_config()), 0, "sdpa")
    with pytest.raises(UserError, match="the plan says 1:"):
        tuning.tuned(model, settings(config), None)

"""Stages that begin with weights of others: a folder, or a repository in the cache of the Hub's own client."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers import Bench, Result, as_config, deepspeed_config, model_config, train_config

from cdr_trainer import checkpoints, models, weights
from cdr_trainer.errors import UserError

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model as `transformers` saves it, with the default configuration's metadata beside."""
    import torch

    torch.manual_seed(11)
    folder = tmp_path_factory.mktemp("published")
    models.build(as_config(model_config()), 256, "sdpa").save_pretrained(str(folder))
    return folder


@pytest.fixture
def cached(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The same as the Hub's client keeps what it downloaded, and the environment of a node without a network."""
    home = tmp_path / "home"
    repository = home / "hub" / "models--some--llama"
    snapshot = repository / "snapshots" / COMMIT
    (repository / "blobs").mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for number, path in enumerate(sorted(published.iterdir())):
        shutil.copyfile(path, repository / "blobs" / str(number))
        (snapshot / path.name).symlink_to(f"../../blobs/{number}")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    return {"HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}


def from_hub(**changes: Any) -> dict[str, Any]:
    return {"kind": "hub", "repository": "some/llama", "revision": None, "token_env": None, **changes}


def first_loss(result: Result) -> float:
    assert result.code == 0, result.stderr
    return float(result.metrics()[0]["loss"])


@pytest.mark.slow
@pytest.mark.parametrize("stage", [None, 3])
def test_training_begins_with_weights_of_the_hub(
    bench: Bench, published: Path, cached: dict[str, str], stage: int | None
) -> None:
    engine = "torch" if stage is None else "deepspeed"
    begun = train_config(1, 1, engine, weights=from_hub(), from_input=True)
    fresh = train_config(1, 1, engine)
    options = {"deepspeed": deepspeed_config(begun, stage)} if stage is not None else {}
    local = begun | {"weights": {"kind": "folder", "path": "given"}}
    shutil.copytree(published, bench.root / "given", dirs_exist_ok=True)
    name = f"hub-{engine}"
    there = first_loss(bench.finish(bench.start("train", begun, name, environment=cached, **options), name))
    assert there == first_loss(bench.run("train", local, f"{name}-folder", **options))
    assert there != first_loss(bench.run("train", fresh, f"{name}-fresh", **options))


@pytest.mark.slow
def test_adapters_stand_beside_weights_of_the_hub(bench: Bench, published: Path, cached: dict[str, str]) -> None:
    adapters = {"rank": 4, "alpha": 8, "dropout": 0.0, "modules": ["self_attn.q_proj"], "parameters": []}
    tuning = {"adapters": adapters, "layers": 0, "tables": False, "parameters": 2 * 4 * (32 + 32)}
    config = train_config(1, 2, tuning=tuning, weights=from_hub(revision=COMMIT), from_input=True)
    result = bench.finish(bench.start("train", config, "hub-lora", environment=cached), "hub-lora")
    assert result.code == 0, result.stderr
    base = checkpoints.folder(result.run_dir) / "base" / "model.safetensors"
    assert base.read_bytes() == (published / "model.safetensors").read_bytes() and not base.is_symlink()


@pytest.mark.slow
def test_a_node_without_the_weights_says_so_before_it_starts(bench: Bench, cached: dict[str, str]) -> None:
    config = train_config(1, 1, weights=from_hub(repository="some/other"), from_input=True)
    result = bench.finish(bench.start("train", config, "hub-none", environment=cached), "hub-none")
    assert result.code == 69
    assert "`some/other` cannot be loaded from the Hub" in result.stderr and "HF_HOME" in result.stderr


def test_weights_of_another_model_are_refused(published: Path, tmp_path: Path) -> None:
    heads = model_config(values={"num_attention_heads": 4, "num_key_value_heads": 4})
    with pytest.raises(UserError, match=r"another model: `num_attention_heads` is 2 there and 4 in the plan; `num_k"):
        models.load(published, as_config(heads), 256, "sdpa")
    mistral = model_config(build={"model": "MistralForCausalLM", "config": "MistralConfig", "values": {}})
    with pytest.raises(UserError, match="the architecture llama, and the plan's model is mistral"):
        models.load(published, as_config(mistral), 256, "sdpa")
    quantised = json.loads((published / "config.json").read_text()) | {"quantization_config": {"quant_method": "fp8"}}
    (tmp_path / "config.json").write_text(json.dumps(quantised))
    with pytest.raises(UserError, match=r"are quantised \(fp8\)"):
        models.load(tmp_path, as_config(model_config()), 256, "sdpa")


def test_weights_keep_their_own_function_and_take_the_training_of_the_plan(published: Path) -> None:
    changed = {"rope_parameters": {"rope_type": "default", "rope_theta": 500_000}, "attention_dropout": 0.0}
    plan = as_config(model_config(values={**changed, "max_position_embeddings": 128}))
    told = models.differences(published, plan, 256)
    assert "`rope_parameters` is" in told and "dropout" not in told and "max_position" not in told
    assert models.differences(published, as_config(model_config()), 256) == ""
    made = models.load(published, plan, 256, "sdpa").config
    assert (made.rope_parameters["rope_theta"], made.attention_dropout) == (10_000, 0.0)
    assert (made.max_position_embeddings, made.eos_token_id) == (128, 256)


@pytest.mark.parametrize("name", ["gelu_new", "gelu_fast", "gelu_accurate", "gelu_python_tanh"])
def test_a_tanh_of_many_operations_runs_in_the_kernel_of_the_same_function(name: str, tmp_path: Path) -> None:
    import torch
    from transformers import GPT2Config
    from transformers.activations import ACT2FN

    build = {
        "model": "GPT2LMHeadModel",
        "config": "GPT2Config",
        "values": {"activation_function": "gelu_pytorch_tanh"},
    }
    plan = as_config(model_config(build=build))
    GPT2Config(activation_function=name).save_pretrained(str(tmp_path))
    assert models.differences(tmp_path, plan, 256) == ""
    theirs = weights.settings_of(tmp_path, models.configuration(plan, 256), build["values"])
    assert theirs.activation_function == "gelu_pytorch_tanh"
    points = torch.linspace(-8, 8, 999, dtype=torch.float64)
    assert torch.allclose(ACT2FN[name](points), ACT2FN["gelu_pytorch_tanh"](points), atol=1e-6)


def test_weights_that_lack_a_tensor_or_have_one_too_many_are_refused(published: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(str(published / "model.safetensors"))
    shutil.copyfile(published / "config.json", tmp_path / "config.json")
    lost = "model.layers.1.mlp.up_proj.weight"
    file = str(tmp_path / "model.safetensors")
    save_file({name: one for name, one in tensors.items() if name != lost}, file, metadata={"format": "pt"})
    with pytest.raises(UserError, match=f"lack {lost}: they belong to another model"):
        models.load(tmp_path, as_config(model_config()), 256, "sdpa")
    bias = "model.layers.0.self_attn.q_proj.bias"
    save_file({**tensors, bias: tensors[lost][0].clone()}, file, metadata={"format": "pt"})
    with pytest.raises(UserError, match=f"no place for, {bias}"):
        models.load(tmp_path, as_config(model_config()), 256, "sdpa")


def test_a_folder_without_weights(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"empty has no config.json and no model.safetensors"):
        weights.folder_of(as_config({"kind": "folder", "path": "empty"}), tmp_path)
    with pytest.raises(UserError, match="there is no folder"):
        weights.folder_of(as_config({"kind": "folder", "path": "gone"}), tmp_path)
    (tmp_path / "empty" / "config.json").write_text(json.dumps({}))
    (tmp_path / "empty" / "pytorch_model.bin").write_bytes(b"")
    assert weights.folder_of(as_config({"kind": "folder", "path": "empty"}), tmp_path) == tmp_path / "empty"

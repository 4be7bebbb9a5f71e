"""Ranks that share the experts train as ranks that each have them all."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import Bench, Result, deepspeed_config, train_config

pytestmark = pytest.mark.slow

STEPS = 3
COMMON = {
    "vocab_size": 264,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "attention_dropout": 0.0,
    "num_experts_per_tok": 2,
}
MLA = {
    "n_routed_experts": 4,
    "n_shared_experts": 1,
    "moe_intermediate_size": 48,
    "first_k_dense_replace": 1,
    "n_group": 1,
    "topk_group": 1,
    "q_lora_rank": None,
    "kv_lora_rank": 8,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 8,
    "v_head_dim": 16,
}
FAMILIES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "mixtral": ("Mixtral", 62_368, {"num_local_experts": 4, "tie_word_embeddings": False}),
    "qwen3_moe": (
        "Qwen3Moe",
        62_432,
        {"num_experts": 4, "moe_intermediate_size": 48, "head_dim": 16, "norm_topk_prob": True},
    ),
    "deepseek_v2": ("DeepseekV2", 50_736, MLA | {"topk_method": "greedy"}),
    "deepseek_v3": ("DeepseekV3", 50_736, MLA),
}


def shared(family: str, ranks: int, **changes: Any) -> dict[str, Any]:
    name, parameters, values = FAMILIES[family]
    config = train_config(2, STEPS, "deepspeed", eval={"every_steps": 2, "batches": 2}, **changes)
    built = {"model": f"{name}ForCausalLM", "config": f"{name}Config", "values": COMMON | values}
    config["model"] |= {"family": family, "build": built, "parameters": parameters}
    return config | ({} if ranks == 1 else {"expert_parallel": ranks})


def engine(config: dict[str, Any], stage: int) -> dict[str, Any]:
    ranks = config.get("expert_parallel", 1)
    section = {"enabled": True, "autoep_size": ranks, "preset_model": config["model"]["family"]}
    return deepspeed_config(config, stage) | ({} if ranks == 1 else {"expert_parallel": section})


def weights(result: Result) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(max((result.run_dir / "checkpoints").glob("step-*")) / "model.safetensors")


@pytest.mark.parametrize(
    ("family", "stage"), [("mixtral", 1), ("qwen3_moe", 2), ("deepseek_v2", 1), ("deepseek_v3", 2)]
)
def test_losses_gradients_and_weights_are_those_of_whole_ranks(bench: Bench, family: str, stage: int) -> None:
    runs = []
    for ranks in (1, 2):
        config = shared(family, ranks)
        runs.append(bench.run("train", config, f"experts-{family}-{ranks}", deepspeed=engine(config, stage)))
        assert runs[-1].code == 0, runs[-1].stderr
    for key in ("loss", "grad_norm", "val_loss"):
        one, two = ([line[key] for line in run.metrics() if key in line] for run in runs)
        assert one and two == pytest.approx(one, rel=1e-4), key
    one, two = (weights(run) for run in runs)
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert two[name].shape == value.shape and (two[name] - value).abs().max() < 1e-4, name


def test_a_run_goes_on_exactly_and_others_read_it(bench: Bench) -> None:
    constant = {"name": "constant", "warmup_steps": 2, "final_ratio": 1.0, "cooldown_steps": 0}
    config = shared("mixtral", 2, schedule=constant, recompute="full")
    options = {"deepspeed": engine(config, 2)}
    unbroken = bench.run("train", config, "experts-unbroken", **options)
    short = config | {"length": {"steps": 2, "tokens": 2 * 256}}
    half = bench.run("train", short, "experts-halves", **options)
    assert [unbroken.code, half.code] == [0, 0], unbroken.stderr + half.stderr
    resumed = bench.resume(config, "experts-halves", 1, **options)
    assert resumed.code == 0, resumed.stderr
    assert resumed.weights() == unbroken.weights()

    alone = train_config(1, 1, "torch", from_input=True, eval=None) | {"model": config["model"]}
    inputs = {"data": bench.data, "from": max((unbroken.run_dir / "checkpoints").glob("step-*"))}
    other = bench.run("train", alone, "experts-alone", inputs=inputs)
    assert other.code == 0, other.stderr
    last = [line["loss"] for line in unbroken.metrics() if "loss" in line][-1]
    assert other.metrics()[0]["loss"] == pytest.approx(last, abs=0.5)

"""Words for random edits of Megatron's command lines: which arguments go together, and what their values are."""

from __future__ import annotations

import argparse
import random
from typing import Any

# Edits of a walk stay mostly with arguments of one kind: what refuses is a combination more often than a value.
KINDS = {
    "experts": "moe expert router etp shared_expert",
    "latent": "mla latent lora_rank q_lora kv_ qk_ v_head mscale rotary rope",
    "hybrid": "hybrid mamba linear_attention gated_delta experimental",
    "precision": "fp8 fp4 te_ tp_comm bf16 fp16 precision first_last main_ exp_avg loss_scale accumulate",
    "checkpoints": "ckpt save load checkpoint non_persistent finetune async dist_ckpt exit",
    "optimizer": "optim adam muon lion soap lr decay clip sgd warmup overlap fsdp shard ddp grad",
    "recompute": "recompute offload distribute_saved cuda_graph fine_grained cpu",
    "data": "data split mock tokenizer vocab fim dataloader seq_length reset "
    "eod sft batch rampup samples iters eval train phase",
    "parallel": "parallel context cp_ pipeline virtual layers microbatch "
    "interleav decoder hier ranks gtp shards backend nccl",
    "model": "num_ hidden ffn norm attention group position swiglu "
    "activation gelu squared bias window softmax mtp init_ fusion",
    "rollouts": "inference rl_ refit grpo langrl",
}

# What the parser takes as text, and something later reads.
TEXTS = {
    "pipeline_model_parallel_layout": ["Et*2|t*2|t*2|t*2L", "Et|t*10|tL", "E|t*6|t*6|L", "E,(t|)*11,tL", "tt|tt"],
    "hybrid_layer_pattern": [
        "M*M-M*M-",
        "M*-M*-/M*",
        "MEMEM*E",
        "M*M-|M*M-",
        "MMMM****",
        "X*",
        "[M*]M",
        "G*G-",
        "M*DE",
    ],
    "hybrid_override_pattern": ["M*M-M*M-"],
    "mtp_hybrid_override_pattern": ["*-", "M*"],
    "moe_layer_freq": ["1", "2", "([0]+[1]*3)", "[1,0]", "([0]*1+[1]*11)", "x"],
    "no_rope_freq": ["4", "([0]+[1])*2", "[1]", "0"],
    "linear_attention_freq": ["4", "([1]*3+[0])", "1"],
    "window_size": ["128,0", "1024,1024", "(128,0)", "128", "-1,0"],
    "window_attn_skip_freq": ["2", "[1,0]", "1"],
    "recompute_modules": [
        "core_attn",
        "moe_act",
        "layernorm",
        "mla_up_proj",
        "mlp",
        "moe",
        "shared_experts",
        "bogus",
    ],
    "offload_modules": [
        "attn_norm",
        "core_attn",
        "attn_proj",
        "mlp_norm",
        "expert_fc1",
        "moe_act",
        "qkv_linear",
        "bogus",
    ],
    "cuda_graph_scope": ["attn", "mlp", "moe", "moe_router", "moe_preprocess", "full_iteration", "mamba", "bogus"],
    "cuda_graph_modules": ["attn", "mlp", "moe", "moe_router", "moe_preprocess", "mamba", "bogus"],
    "cp_comm_type": ["p2p", "a2a", "allgather", "a2a+p2p", "x"],
    "step_batch_size_schedule": ["0:8 100:16", "0:8", "x"],
    "split": ["99,1,0", "969,30,1", "1", "100,0,0"],
    "data_path": ["a", "0.5", "1", "b"],
    "high_priority_stream_groups": ["ep", "dp", "x"],
    "muon_coefficient_type": ["quintic", "simple", "x", "polar_express"],
    "spec": ["local", "a b"],
    "phase_transition_iterations": ["10,20", "5", "x"],
    "load": ["/ckpt"],
    "save": ["/ckpt"],
}
INTEGERS = [0, 1, 1, 2, 2, 3, 4, 4, 6, 8, 8, 12, 16, 32, 64, 100, 128, 500, 1024, 4096, -1]
FLOATS = [0.0, 0.0, 0.01, 0.1, 0.5, 0.9, 0.95, 1.0, 1.5, 2.0, 10.0, 1e-5, 1e-8, -0.1, -1]

# They end the parser, or read a file.
SKIPPED = {"help", "yaml_cfg", "config_logger_dir", "te_precision_config_file", "heterogeneous_layers_config_path"}


def editable(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [each for each in parser._actions if each.dest not in SKIPPED and each.option_strings]


def of_kind(actions: list[argparse.Action], kind: str) -> list[argparse.Action]:
    return [each for each in actions if any(word in each.dest for word in KINDS[kind].split())]


def values(action: argparse.Action, pick: random.Random) -> list[str]:
    """Mostly right ones, some at the bounds, few that the type refuses."""
    if action.nargs == 0:
        return []
    count = (
        action.nargs
        if isinstance(action.nargs, int)
        else pick.choice([1, 1, 2, 3])
        if action.nargs in ("*", "+")
        else 1
    )
    return [value(action, pick) for _ in range(count)]


def value(action: argparse.Action, pick: random.Random) -> str:
    if action.dest in TEXTS:
        return pick.choice(TEXTS[action.dest])
    if action.choices:
        listed = [str(getattr(each, "name", each)) for each in action.choices]
        return pick.choice(listed) if pick.random() < 0.97 else pick.choice(["bogus", listed[0].upper(), ""])
    if action.type is int:
        if pick.random() < 0.03:
            return pick.choice(["1.0", "x", "", "1e3", "0x10", "1_000", "+4", " 8"])
        return str(near(action.default, pick, INTEGERS))
    if action.type is float:
        if pick.random() < 0.05:
            return pick.choice(["x", "nan", "inf", "1e-", ".5", "1_0"])
        return str(near(action.default, pick, FLOATS))
    return pick.choice(["auto", "x", "/tmp/x", "1", "none", "a.b"])


def near(default: Any, pick: random.Random, usual: list[Any]) -> Any:
    if isinstance(default, bool) or not isinstance(default, (int, float)) or default <= 0 or pick.random() < 0.6:
        return pick.choice(usual)
    halved = default // 2 if isinstance(default, int) else default / 2
    return pick.choice([default, default * 2, halved])

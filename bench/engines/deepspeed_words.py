"""Words for random edits of a DeepSpeed configuration: where walks begin, parameters, and odd values."""

from __future__ import annotations

import copy
import random
from typing import Any

NVME = {"device": "nvme", "nvme_path": "/tmp/nvme"}
CURRICULUM = {
    "curriculum_type": "seqlen",
    "min_difficulty": 8,
    "max_difficulty": 64,
    "schedule_type": "fixed_linear",
    "schedule_config": {"total_curriculum_step": 100, "difficulty_step": 8},
}
BASES: list[dict[str, Any]] = [
    {},
    {"zero_optimization": {"stage": 2, "overlap_comm": True, "offload_optimizer": {"device": "cpu"}}},
    {"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}, "offload_optimizer": {"device": "cpu"}}},
    {
        "zero_optimization": {"stage": 3, "offload_param": NVME, "offload_optimizer": NVME},
        "aio": {"block_size": 1048576},
    },
    {"zero_optimization": {"stage": 3, "zero_hpz_partition_size": 2, "zero_quantized_weights": True}},
    {"zero_optimization": {"stage": 0}, "hybrid_engine": {"enabled": True, "max_out_tokens": 512}},
    {"zero_optimization": {"stage": 2}, "flops_profiler": {"enabled": True}, "wall_clock_breakdown": True},
    {"zero_optimization": {"stage": 1}, "autotuning": {"enabled": False}, "pipeline": {"partition": "uniform"}},
    {"zero_optimization": {"stage": 1}, "activation_checkpointing": {"partition_activations": True}},
    {
        "zero_optimization": {"stage": 1},
        "data_efficiency": {
            "enabled": True,
            "data_sampling": {
                "enabled": True,
                "curriculum_learning": {"enabled": True, "curriculum_metrics": {"seqlen": CURRICULUM}},
            },
        },
    },
]
OPTIMIZERS = {
    "lr": [1e-4, 0.1, "1e-4", "auto", -1],
    "betas": [[0.9, 0.95], [0.9], [0.9, 1.5], 0.9],
    "eps": [1e-8, 0, "auto"],
    "weight_decay": [0, 0.01, -1, "0.1"],
    "adam_w_mode": [True, False],
    "torch_adam": [True, False],
    "momentum": [0.9, -1],
    "amsgrad": [True, False],
    "bias_correction": [True],
    "max_grad_norm": [1.0, 0.0],
    "muon_lr": [0.1],
    "ns_method": ["gram", "standard", "x"],
    "foo": [1],
}
SCHEDULES = {
    "warmup_min_lr": [0, 1e-5, "auto"],
    "warmup_max_lr": [1e-3, "auto"],
    "warmup_num_steps": [10, 0, 1, "auto", -1],
    "total_num_steps": [100, 5, "auto"],
    "warmup_type": ["log", "linear", "x"],
    "cos_min_ratio": [0.1],
    "cycle_min_lr": [1e-5],
    "cycle_max_lr": [1e-3],
    "cycle_first_step_size": [10, 0],
    "lr_range_test_min_lr": [1e-4],
    "lr_range_test_step_size": [100, 0],
    "last_batch_iteration": [-1, 5],
    "foo": [1],
}
BATCHES = ["train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"]
COUNTS = [1, 2, 3, 4, 8, 16, 32, 64, 0, 2.0, "auto", None, True]
OLD = ["compression_training", "elasticity", "curriculum_learning", "amp", "eigenvalue", "sparse_attention", "nebula"]
ODD = ["auto", "true", "", "1", None, -1, 0, 1.5, 2.0, True, [], {}, "x", 1e9, [1], "1e5", 10**12]
USUAL: dict[str, list[Any]] = {
    "bool": [True, False],
    "int": [1, 2, 4, 8, 16, 100, 1000, 10**6, 5 * 10**8],
    "float": [0.0, 0.1, 0.5, 0.9, 1.0, 1, 2, 10, 100, 1e-3, 1e6],
    "str": ["x", "cpu", "nvme", "/tmp/x", "none", "fp16"],
    "list": [[], ["a"], [1, 2], [0.9, 0.95]],
    "dict": [{}, {"a": 1}],
    "model": [{}, {"enabled": True}, {"enabled": False}],
    "section": [{}, {"enabled": True}, {"enabled": False}],
    "none": [None],
}


def value(field: dict[str, Any], pick: random.Random) -> Any:
    """Mostly of the field's type, in or out of its bounds; some that are odd."""
    if pick.random() < 0.12:
        return copy.deepcopy(pick.choice(ODD))
    if field.get("null") and pick.random() < 0.05:
        return None
    kind, default = field["type"], field.get("default")
    if kind in ("enum", "literal"):
        return pick.choice(field.get("values") or ["x"])
    if kind == "union" and field.get("of"):
        return value(pick.choice(field["of"]), pick)
    if kind == "int" and isinstance(default, int) and not isinstance(default, bool) and pick.random() < 0.25:
        return pick.choice([default, default * 2, default // 2])
    return copy.deepcopy(pick.choice(USUAL.get(kind, [1, "x", True, None])))


def misspelt(name: str, pick: random.Random) -> str:
    at = pick.randrange(len(name))
    return pick.choice([name[:at] + name[at + 1 :], f"{name}s", name.replace("_", "-"), f"{name[:at]}x{name[at:]}"])

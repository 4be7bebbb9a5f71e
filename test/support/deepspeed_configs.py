"""Gives `[{"config": …, "world": n}]` to the real DeepSpeedConfig and prints what it understood, or its error."""

import json
import os
import sys

os.environ["DS_ACCELERATOR"] = "cpu"

import deepspeed.comm as dist
from deepspeed.runtime.config import DeepSpeedConfig


def understood(case):
    dist.get_rank = lambda *_, **__: 0
    dist.get_world_size = lambda *_, **__: case["world"]
    try:
        c = DeepSpeedConfig(case["config"])
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    zero = c.zero_config
    return {
        "batch": [c.train_batch_size, c.train_micro_batch_size_per_gpu, c.gradient_accumulation_steps],
        "stage": int(c.zero_optimization_stage),
        "clipping": c.gradient_clipping,
        "precision": "bf16" if c.bfloat16_config.enabled else "fp16" if c.float16_config.enabled else "fp32",
        "offload": [bool(zero.offload_optimizer), bool(zero.offload_param)],
        "buckets": zero.reduce_bucket_size,
    }


out, sys.stdout = sys.stdout, sys.stderr
answers = [understood(case) for case in json.load(sys.stdin)]
print(json.dumps(answers), file=out)

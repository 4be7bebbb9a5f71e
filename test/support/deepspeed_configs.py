"""Gives `[{"config": …, "world": n}]` to the real DeepSpeedConfig and prints what it understood, or its error.

`unread` are keys that it never looked up. Sections that a class reads refuse what they don't know, so all of theirs are read.
"""

import json
import os
import sys

os.environ["DS_ACCELERATOR"] = "cpu"

import deepspeed.comm as dist
from deepspeed.runtime.config import DeepSpeedConfig


class Watched(dict):
    """A section that knows which of its keys were asked for."""

    def __init__(self, values):
        super().__init__({key: Watched(value) if type(value) is dict else value for key, value in values.items()})
        self.asked = set()

    def __getitem__(self, key):
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.asked.add(key)
        return super().get(key, default)

    def unread(self, prefix=""):
        found = [prefix + key for key in self if key not in self.asked]
        for key in self.asked & set(self):
            value = dict.__getitem__(self, key)
            if isinstance(value, Watched) and value.asked:
                found += value.unread(f"{prefix}{key}.")
        return found


def understood(case):
    dist.get_rank = lambda *_, **__: 0
    dist.get_world_size = lambda *_, **__: case["world"]
    try:
        config = Watched(case["config"])
        c = DeepSpeedConfig(config)
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
        "unread": config.unread(),
    }


out, sys.stdout = sys.stdout, sys.stderr
answers = [understood(case) for case in json.load(sys.stdin)]
print(json.dumps(answers), file=out)

"""Random configurations with the verdict of the real DeepSpeedConfig, as JSON lines that `bench truth --deepspeed` reads.

    python test/support/deepspeed_fuzz.py SEED ROWS < KEYS

KEYS is a JSON object: `models` and `sections` of compiler/engines/deepspeed/models.json, `plain`: dotted keys read by hand.
"""

import copy
import json
import logging
import os
import random
import sys

os.environ["DS_ACCELERATOR"] = "cpu"
logging.disable(logging.CRITICAL)
out, sys.stdout = sys.stdout, sys.stderr

import deepspeed.comm as dist  # noqa: E402
from deepspeed.runtime.config import DeepSpeedConfig  # noqa: E402

seed, rows = int(sys.argv[1]), int(sys.argv[2])
keys = json.load(sys.stdin)
pick = random.Random(seed)

BATCH = ["train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"]
SIZES = [1, 2, 3, 4, 7, 8, 16, 32, 64, 0, -1, 2.0, 8.0, True, None, "auto", "4"]
TEXTS = ["auto", "true", "False", "yes", "2", "1.0", " 3 ", "5e8", "1_000", "", "cpu", "nvme", "bf16", "fp32", "inf", "nan", "1e-3", "step", ".5", "1."]
OTHERS = [True, False, None, 0, 1, 2, 3, 4, -1, 1.0, 0.0, 2.0, 0.5, 1.5, 1e8, 10**12, [], {}, ["a"], [1], {"enabled": True}]


def put(config, path, value):
    *sections, key = path
    for name in sections:
        if not isinstance(config.get(name), dict):
            config[name] = {}
        config = config[name]
    config[key] = copy.deepcopy(value)


def field_path():
    section = pick.choice(sorted(keys["sections"]))
    path, model = section.split("."), keys["sections"][section]
    while pick.random() > 0.03:
        fields = keys["models"][model]
        name = pick.choice([*sorted(fields), "strict", "misspelt"])
        field = fields.get(name, {})
        path.append(field.get("alias", name))
        if field.get("type") != "model" or pick.random() < 0.2:
            return path, field.get("values", [])
        model = field["model"]
    return path, []


def change(config):
    kind = pick.random()
    if kind < 0.1:
        for key in pick.sample(BATCH, pick.choice([1, 2, 3])):
            put(config, [key], pick.choice(SIZES))
        return
    path, values = field_path() if kind < 0.6 else (pick.choice(keys["plain"]).split("."), [])
    put(config, path, pick.choice(values if values and pick.random() < 0.3 else TEXTS + OTHERS))


def verdict(config, world):
    dist.get_rank = lambda *_, **__: 0
    dist.get_world_size = lambda *_, **__: world
    try:
        DeepSpeedConfig(config)
        return {"verdict": "ok"}
    except Exception as error:
        return {"verdict": "error", "message": f"{type(error).__name__}: {error}"[:300]}


for index in range(rows):
    world = pick.choice([1, 2, 4, 8, 16, 64])
    config = {
        "train_micro_batch_size_per_gpu": pick.choice([1, 2, 4]),
        "gradient_accumulation_steps": pick.choice([1, 2]),
        "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
        "zero_optimization": {"stage": pick.choice([0, 1, 2, 3])},
        pick.choice(["bf16", "fp16"]): {"enabled": True},
    }
    for _ in range(pick.randint(1, 3)):
        change(config)
    text = json.dumps(config)
    row = {
        "id": f"{seed}-{index}",
        "world_size": world,
        "model": "dense",
        "client_optimizer": None,
        "basis": "config",
        "ignored": [],
        "config": config,
        **verdict(json.loads(text), world),
    }
    print(json.dumps(row), file=out)

"""Reads a JSON list of `model` parts, builds each as the trainer does, and runs one forward and backward pass.

Prints the loss of each, how many parameters it has and what fused attention its class lacks; `error` where something failed.
"""

import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "trainer"))
from cdr_trainer import models  # noqa: E402
from cdr_trainer.config import Config  # noqa: E402


def step(model):
    torch.manual_seed(0)
    made = models.build(model, 0, "sdpa").train()
    ids = torch.randint(0, model.vocab, (2, 16))
    loss = made(input_ids=ids, labels=ids, use_cache=False).loss
    loss.backward()
    moved = sum(1 for p in made.parameters() if p.grad is not None)
    has = {"sdpa": made._supports_sdpa, "flash": made._supports_flash_attn}
    lacks = [name for name, it in has.items() if not it]
    return {"loss": loss.item(), "parameters": models.count_parameters(made), "moved": moved, "lacks": lacks}


found = []
for model in json.load(sys.stdin, object_hook=lambda fields: Config(**fields)):
    try:
        found.append(step(model))
    except Exception as error:
        found.append({"error": f"{type(error).__name__}: {error}"[:400]})
print(json.dumps(found))

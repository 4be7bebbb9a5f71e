"""Reads a JSON list of `model` parts of train configurations and prints how many parameters the class of each has."""

import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "trainer"))
from cdr_trainer import models  # noqa: E402
from cdr_trainer.config import Config  # noqa: E402


def parameters(model):
    built = models.named_class(model.build.model)(models.configuration(model, 0))
    return sum(p.numel() for p in built.parameters())


with torch.device("meta"):
    counts = []
    for model in json.load(sys.stdin, object_hook=lambda fields: Config(**fields)):
        try:
            counts.append(parameters(model))
        except Exception as error:
            counts.append(f"{type(error).__name__}: {error}"[:300])
print(json.dumps(counts))

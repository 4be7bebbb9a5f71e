"""What a pipeline changes before it is there: DeepSpeed's engine is made by a loop of our own, not by the Trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .config import Config
from .errors import UserError
from .files import read_json


def stages_of(config: Config) -> int:
    """How many ranks share a model's layers; 1 where each has all."""
    return int(config.get("pipeline_parallel", 1))


def for_trainer(config: Config) -> Config:
    """What the Trainer is told of a pipeline: types, recomputation and the optimizer's shards are the engine's."""
    if stages_of(config) == 1:
        return config
    return Config(**vars(config) | {"engine": "torch", "precision": "fp32", "recompute": "none"})


def engine_of(config: Config, beside: Path) -> dict[str, Any]:
    """DeepSpeed's own configuration, beside the stage's."""
    try:
        engine: dict[str, Any] = read_json(beside / config.deepspeed)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the DeepSpeed configuration {beside / config.deepspeed}: {error}") from error
    # It would print what is printed already.
    engine.setdefault("steps_per_print", 2**31)
    return engine

"""What of a model is trained, where that is not all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import adapters
from .config import Config
from .errors import UserError
from .optimizer import POSITIONS


def tuning_of(config: Config) -> Config | None:
    return config.get("tuning", None)


def has_adapters(config: Config) -> bool:
    tuning = tuning_of(config)
    return tuning is not None and tuning.adapters is not None


def facts_of(config: Config) -> Any:
    """What a checkpoint has to share with the run that goes on from it."""
    tuning = tuning_of(config)
    if tuning is None:
        return None
    beside = tuning.adapters and [tuning.adapters.rank, tuning.adapters.alpha, tuning.adapters.dropout]
    return [beside, tuning.layers, tuning.tables, tuning.parameters]


def tuned(model: Any, config: Config, start: Path | None) -> Any:
    """The model with what is not trained frozen. `start` is a checkpoint of this run, whose adapters it takes."""
    import torch

    tuning = config.tuning
    if tuning.adapters is None:
        _freeze(model, tuning)
    else:
        # Whether the weights were drawn or read just now, the first adapters are the same.
        torch.manual_seed(config.seed)
        model = adapters.add(model, tuning.adapters, tuning.layers)
        if start is not None:
            adapters.take(model, start)
        _narrow(model, config.precision, torch)
    found = sum(_size(one) for one in model.parameters() if one.requires_grad)
    if found != tuning.parameters:
        raise UserError(
            f"{found:,} parameters of this {config.model.family} model would be trained and the plan says "
            f"{tuning.parameters:,}: the compiler and the installed libraries disagree about this family"
        )
    return model


def _freeze(model: Any, tuning: Config) -> None:
    if tuning.layers > 0:
        for layer in adapters.layers_of(model)[1][: tuning.layers]:
            layer.requires_grad_(False)
    if tuning.tables:
        model.get_input_embeddings().requires_grad_(False)
        for name, parameter in model.named_parameters():
            if POSITIONS.search(name):
                parameter.requires_grad_(False)


def _narrow(model: Any, precision: str, torch: Any) -> None:
    """Weights that no optimizer moves need no more bits than products read; their 32 bits lie in the base."""
    types = {"bf16": torch.bfloat16, "fp16": torch.float16}
    for parameter in model.parameters():
        if not parameter.requires_grad and precision in types and not hasattr(parameter, "ds_numel"):
            parameter.data = parameter.data.to(types[precision])


def _size(parameter: Any) -> int:
    return getattr(parameter, "ds_numel", parameter.numel())

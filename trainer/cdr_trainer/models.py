"""The module that a plan names: a class and its configuration's values, built and counted."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from . import adapters, grouped, weights
from .config import Config
from .errors import UserError

_FRACTIONS = ("dropout", "pdrop", "theta", "factor", "coef", "eps", "epsilon", "range")


def configuration(model: Config, end: int) -> Any:
    """The configuration of the class; `end` is the id of the end-of-document token."""
    values = _plain(_built(model).values)
    ids = {"bos_token_id": None, "eos_token_id": end, "pad_token_id": None}
    return named_class(_built(model).config)(**values, **ids)


def build(model: Config, end: int, attention: str) -> Any:
    """Weights come from torch's generator, so seed it before. Under ZeRO-3 the parameters are born partitioned."""
    import torch

    settings = configuration(model, end)
    made = named_class(_built(model).model)._from_config(
        settings,
        attn_implementation=_attention(model, attention),
        experts_implementation=grouped.implementation(),
        dtype=torch.float32,
    )
    check_count(made, model)
    return made


def load(path: Path, model: Config, end: int, attention: str) -> Any:
    """The model with the weights of a folder, in float32, its adapters added to them.

    What they compute beside their shapes is what their own configuration says.
    """
    import torch

    if adapters.is_adapters(path):
        return adapters.merged(load(adapters.base_of(path), model, end, attention), path)
    settings = weights.settings_of(path, configuration(model, end), vars(_built(model).values))
    try:
        made, found = named_class(_built(model).model).from_pretrained(
            str(path),
            config=settings,
            attn_implementation=_attention(model, attention),
            experts_implementation=grouped.implementation(),
            dtype=torch.float32,
            local_files_only=True,
            output_loading_info=True,
        )
    except (RuntimeError, ValueError) as error:
        raise UserError(f"the weights of {path} do not fit this model: {error}") from error
    _check_tensors(path, found)
    check_count(made, model)
    return made


def differences(path: Path, model: Config, end: int) -> str:
    """Where the weights of a folder compute something else than the plan says, in words."""
    return weights.differences(path, configuration(model, end), vars(_built(model).values))


def _check_tensors(path: Path, found: dict[str, Any]) -> None:
    """A tensor that is missing would start at random, and one too many stands for a part that this model lacks."""
    for key, said in (("missing_keys", "lack"), ("unexpected_keys", "hold, and this model has no place for,")):
        names = sorted(found.get(key) or ())
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            raise UserError(
                f"the weights of {path} {said} {', '.join(names[:3])}{more}: they belong to another model"
            )


def check_count(made: Any, model: Config) -> None:
    found = count_parameters(made)
    if found != model.parameters:
        raise UserError(
            f"the {model.family} model has {found:,} parameters and the plan says {model.parameters:,}: "
            "the compiler and the installed `transformers` disagree about this family"
        )


def count_parameters(made: Any) -> int:
    """Shared ones once. A parameter that ZeRO-3 partitioned keeps its full size in `ds_numel`."""
    return sum(getattr(parameter, "ds_numel", parameter.numel()) for parameter in made.parameters())


def _built(model: Config) -> Config:
    if model.build is None:
        raise UserError(f"no class builds this {model.family} model")
    return model.build


def named_class(name: str) -> Any:
    """Of `transformers`, or of this package where that has none."""
    for library in ("transformers", f"{__package__}.architectures"):
        found = getattr(importlib.import_module(library), name, None)
        if found is not None:
            return found
    raise UserError(f"the installed `transformers` has no {name}")


def _attention(model: Config, wanted: str) -> str:
    """Score caps, sinks and ALiBi need scores, which the fused kernel of PyTorch does not give."""
    fused = getattr(named_class(_built(model).model), "_supports_sdpa", False)
    return "eager" if wanted == "sdpa" and not fused else wanted


def _plain(value: Any) -> Any:
    """Objects of the configuration file as dictionaries again. JSON writes 0.0 as 0, which strict classes refuse."""
    if isinstance(value, Config):
        return {
            name: float(inner) if name.endswith(_FRACTIONS) and inner is not None else _plain(inner)
            for name, inner in vars(value).items()
        }
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value

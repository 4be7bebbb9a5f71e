"""Low-rank matrices beside frozen weights (peft).

A checkpoint holds them alone; the weights lie once for all of a run's checkpoints, in `checkpoints/base`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import checkpoints
from .config import Config
from .errors import UserError

WEIGHTS = "adapter_model.safetensors"
_BASE = "base"
_STAGING = ".saving-base"


def add(model: Any, adapters: Config, first_layer: int) -> Any:
    """The model with adapters on layers from `first_layer` on; nothing else of it is trained."""
    from peft import LoraConfig, get_peft_model

    prefix, layers = layers_of(model)
    below = range(first_layer, len(layers))

    def present(names: list[str]) -> list[str]:
        """A layer that has no such part gets none."""
        found = []
        for index in below:
            parts = {name for name, _ in (*layers[index].named_modules(), *layers[index].named_parameters())}
            found += [f"{prefix}.{index}.{name}" for name in names if name in parts]
        return found

    settings = LoraConfig(
        r=adapters.rank,
        lora_alpha=adapters.alpha,
        lora_dropout=adapters.dropout,
        target_modules=present(adapters.modules),
        target_parameters=present(adapters.parameters) or None,
        task_type="CAUSAL_LM",
    )
    try:
        return get_peft_model(model, settings)
    except (ValueError, TypeError) as error:
        raise UserError(f"this model takes no such adapters: {error}") from error


def layers_of(model: Any) -> tuple[str, Any]:
    """The name and the modules of its blocks, from the input on."""
    import torch

    count = model.config.num_hidden_layers
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == count:
            return name, module
    raise UserError(f"{type(model).__name__} has no list of {count} layers")


def take(model: Any, checkpoint: Path) -> None:
    """The adapters of a checkpoint for those of the model."""
    from peft import set_peft_model_state_dict
    from safetensors.torch import load_file

    set_peft_model_state_dict(model, load_file(str(checkpoint / WEIGHTS)))


def is_adapters(checkpoint: Path) -> bool:
    return (checkpoint / WEIGHTS).exists()


def base_of(checkpoint: Path) -> Path:
    """Where the weights lie that its adapters stand beside; refuses damaged ones."""
    folder = checkpoint.resolve().parent / _BASE
    reason = checkpoints.verify(folder)
    if reason is not None:
        raise UserError(f"the weights beside the adapters of {checkpoint} cannot be used: {folder}: {reason}")
    return folder


def kept_base(run_dir: Path) -> Path | None:
    """Those of this run, once it has been started."""
    folder = checkpoints.folder(run_dir) / _BASE
    return base_of(folder) if folder.exists() else None


def keep_base(run_dir: Path, source: Path | None, model: Any, chief: bool) -> None:
    """Once, before adapters are added: linked from the checkpoint that the run starts from, or written."""
    folder = checkpoints.folder(run_dir) / _BASE
    staging = folder.with_name(_STAGING)
    if chief:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
    if source is None:
        _write(model, staging, chief)
    if not chief:
        return
    for path in [] if source is None else _weights_in(source):
        _link(path, staging / path.name)
    files = {name: checkpoints.digest(staging / name, True) for name in checkpoints.contents(staging)}
    checkpoints.seal(staging, {"kind": _BASE}, files)
    staging.rename(folder)


def _write(model: Any, folder: Path, chief: bool) -> None:
    """Under ZeRO-3 each rank holds a part of each weight."""
    if not any(hasattr(one, "ds_numel") for one in model.parameters()):
        if chief:
            model.save_pretrained(folder)
        return
    from deepspeed.zero import GatheredParameters

    with GatheredParameters(list(model.parameters())):
        if chief:
            model.save_pretrained(folder)


def _weights_in(checkpoint: Path) -> Iterator[Path]:
    patterns = ("config.json", "generation_config.json", "model*.safetensors", "model.safetensors.index.json")
    return (path for pattern in patterns for path in checkpoint.glob(pattern))


def _link(source: Path, target: Path) -> None:
    """No second copy where the disk is the same; the other run may delete its own name. The Hub's cache has links."""
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copyfile(source, target)


def merged(base: Any, checkpoint: Path) -> Any:
    """The model of `base_of` with the adapters of a checkpoint added to its weights, all of which can be trained."""
    from peft import PeftModel

    return PeftModel.from_pretrained(base, str(checkpoint)).merge_and_unload().requires_grad_(True)

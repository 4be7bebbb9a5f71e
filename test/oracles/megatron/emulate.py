"""What Megatron asks of a machine that is not here: a GPU of some generation, and Transformer Engine.

Only questions are answered: no kernel is replaced, so nothing below trains.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import types
import warnings
from typing import Any

warnings.filterwarnings("ignore")

import torch  # noqa: E402


class _Device:
    name = "emulated"
    total_memory = 80 << 30
    multi_processor_count = 132
    major, minor = 9, 0


def gpu(architecture: str) -> None:
    """A device of this compute capability."""
    _Device.major, _Device.minor = (int(part) for part in architecture.split("."))
    cuda: Any = torch.cuda
    cuda.get_device_capability = lambda *_, **__: (_Device.major, _Device.minor)
    cuda.get_device_properties = lambda *_, **__: _Device
    cuda.is_available = lambda: True
    cuda.current_device = lambda: 0
    cuda.device_count = lambda: 8


def transformer_engine(version: str = "2.18.0") -> None:
    """Modules of its name that say a version and hold what Megatron looks for without calling it."""

    class FusedAdam:
        def __init__(
            self,
            params: Any,
            master_weight_dtype: Any = None,
            exp_avg_dtype: Any = None,
            exp_avg_sq_dtype: Any = None,
            use_decoupled_grad: bool = False,
        ) -> None: ...

    # Megatron binds what it finds when it is imported: it has to find nothing then.
    from megatron.training import arguments, training  # noqa: F401

    # Not every release has it.
    if importlib.util.find_spec("megatron.training.argument_utils") is not None:
        importlib.import_module("megatron.training.argument_utils")
    from packaging.version import Version as PkgVersion

    _module("transformer_engine", __version__=version)
    _module("transformer_engine.pytorch")
    _module("transformer_engine.pytorch.optimizers", FusedAdam=FusedAdam)
    installed = PkgVersion(version)

    for module in list(sys.modules.values()):
        if not getattr(module, "__name__", "").startswith("megatron"):
            continue
        if hasattr(module, "get_te_version"):
            module.get_te_version = lambda: installed
        if hasattr(module, "is_te_min_version"):
            module.is_te_min_version = lambda least, check_equality=True: installed >= PkgVersion(least)
    for module, names in (
        ("models.common.embeddings.rope_utils", ("fused_apply_rotary_pos_emb", "fused_apply_rotary_pos_emb_thd")),
        ("transformer.moe.moe_utils", [f"fused_{verb}" for verb in ("permute", "permute_with_probs", "unpermute")]),
        ("transformer.moe.moe_utils", [f"fused_sort_chunks_by_index{end}" for end in ("", "_with_probs")]),
    ):
        if importlib.util.find_spec(f"megatron.core.{module}") is None:
            continue
        for name in names:
            setattr(importlib.import_module(f"megatron.core.{module}"), name, lambda *_: None)


def _module(name: str, **attributes: Any) -> None:
    module = types.ModuleType(name)
    module.__dict__.update(attributes)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__path__ = []
    sys.modules[name] = module

"""What Megatron asks of a machine that is not here: a GPU of some generation, and Transformer Engine.

Only questions are answered: no kernel is replaced, so nothing below trains.
"""

from __future__ import annotations

import importlib.machinery
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
    from megatron.core.utils import PkgVersion
    from megatron.training import argument_utils, arguments, training  # noqa: F401

    _module("transformer_engine", __version__=version)
    _module("transformer_engine.pytorch")
    _module("transformer_engine.pytorch.optimizers", FusedAdam=FusedAdam)
    installed = PkgVersion(version)
    import megatron.core.models.common.embeddings.rope_utils as rope
    import megatron.core.transformer.moe.moe_utils as experts

    for module in list(sys.modules.values()):
        if not getattr(module, "__name__", "").startswith("megatron"):
            continue
        if hasattr(module, "get_te_version"):
            module.get_te_version = lambda: installed
        if hasattr(module, "is_te_min_version"):
            module.is_te_min_version = lambda least, check_equality=True: installed >= PkgVersion(least)
    for module, names in (
        (rope, ("fused_apply_rotary_pos_emb", "fused_apply_rotary_pos_emb_thd")),
        (experts, [f"fused_{verb}" for verb in ("permute", "permute_with_probs", "unpermute")]),
        (experts, [f"fused_sort_chunks_by_index{end}" for end in ("", "_with_probs")]),
    ):
        for name in names:
            setattr(module, name, lambda *_: None)


def _module(name: str, **attributes: Any) -> None:
    module = types.ModuleType(name)
    module.__dict__.update(attributes)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__path__ = []
    sys.modules[name] = module

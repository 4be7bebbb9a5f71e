"""Products of experts in the type that autocast has for all others.

`grouped_mm` is not among the operations that autocast knows, so experts with weights in 32 bits would run in 32 bits:
twice the memory of what they keep, without tensor cores and one expert after another (transformers,
integrations/moe.py: _grouped_mm).
"""

from __future__ import annotations

from typing import Any

_NAME = "grouped_mm_autocast"


def implementation() -> str:
    """The name under which `transformers` finds them."""
    from transformers.integrations.moe import ALL_EXPERTS_FUNCTIONS

    ALL_EXPERTS_FUNCTIONS.register(_NAME, _forward)
    return _NAME


def _forward(experts: Any, states: Any, chosen: Any, weights: Any) -> Any:
    import torch
    from transformers.integrations.moe import grouped_mm_experts_forward

    device = states.device.type
    if not torch.is_autocast_enabled(device):
        return grouped_mm_experts_forward(experts, states, chosen, weights)
    narrow = torch.get_autocast_dtype(device)
    out = grouped_mm_experts_forward(_Narrow(experts, narrow), states.to(narrow), chosen, weights)
    return out.to(states.dtype)


class _Narrow:
    """Experts whose weights are read in another type."""

    def __init__(self, experts: Any, dtype: Any) -> None:
        self._experts, self._dtype = experts, dtype

    def __getattr__(self, name: str) -> Any:
        import torch

        found = getattr(self._experts, name)
        return found.to(self._dtype) if isinstance(found, torch.Tensor) else found

"""Groups of parameters with and without weight decay."""

from __future__ import annotations

import re
from typing import Any

POSITIONS = re.compile(r"(^|\.)(wpe|embed_positions|position_embeddings?)\.")


def decay_groups(model: Any, weight_decay: float) -> list[dict[str, Any]]:
    """Matrices decay, token embeddings included; norms, biases and embeddings of positions do not.

    ZeRO-3 keeps partitioned parameters flat; their own shape is `ds_shape`.
    """
    decayed, rest = [], []
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        shape = getattr(parameter, "ds_shape", parameter.shape)
        (decayed if len(shape) >= 2 and not POSITIONS.search(name) else rest).append(parameter)
    groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}]
    return [group for group in groups if group["params"]]

"""Loss on held-out windows, the same for any number of ranks up to rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from .dataset import collate, window


def mean_loss(
    forward: Any,
    tokens: np.ndarray,
    sequence: int,
    batch: int,
    batches: int | None,
    device: Any,
    group: Any,
    share: tuple[int, int] | None = None,
) -> float:
    """Mean over targets, in nats per token.

    `forward(inputs)` gives the mean loss of a batch of shape [batch, sequence]. Every rank takes every `world`-th
    batch and makes the same number of calls (ZeRO-3 gathers parameters in them); one past the end has weight 0.
    `batches` limits the batches of each rank. `share`: replicas and which of them this rank belongs to, where several
    ranks are one; each of them has the replica's loss.
    """
    world, rank = (1, 0)
    if group is not None:
        world, rank = torch.distributed.get_world_size(group), torch.distributed.get_rank(group)
    world, rank = share or (world, rank)
    windows = (len(tokens) - 1) // sequence
    calls = math.ceil(windows / (batch * world))
    calls = calls if batches is None else min(calls, batches)
    totals = torch.zeros(2, dtype=torch.float64)
    with torch.no_grad():
        for call in range(calls):
            first = (call * world + rank) * batch
            rows = range(first, min(first + batch, windows))
            samples = [window(tokens, row, sequence) for row in rows or [0]]
            inputs = {name: tensor.to(device) for name, tensor in collate(samples).items()}
            loss = forward(inputs).double().cpu()
            if rows:
                totals += torch.stack([loss * len(rows), torch.tensor(float(len(rows)), dtype=torch.float64)])
    if group is not None:
        torch.distributed.all_reduce(totals, group=group)
    return float(totals[0] / totals[1])


def perplexity(loss: float) -> float:
    """exp(loss), infinite where that overflows."""
    return math.exp(loss) if loss < 700 else math.inf

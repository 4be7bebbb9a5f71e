"""Bytes that one rank holds for good, by what holds them."""

from __future__ import annotations

import resource
import sys
from typing import Any


def resident() -> int:
    """Of this process, now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return peak_resident()


def peak_resident() -> int:
    """Of this process, at most until now."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def held(model: Any, optimizer: Any, runtime: int) -> dict[str, int]:
    """`runtime` is what the process was before its model. Under ZeRO-3 a parameter's own shard is `ds_tensor`."""
    weights = [getattr(parameter, "ds_tensor", parameter) for parameter in model.parameters()]
    return {"runtime": runtime, "weights": _bytes(weights), "optimizer": _bytes(_states(optimizer))}


def _states(optimizer: Any) -> list[Any]:
    """Moments and counters, and the masters that a wrapper of an engine keeps beside the weights."""
    import torch

    inner = getattr(optimizer, "optimizer", None)
    found = _states(inner) if inner is not None else []
    if inner is None:
        found = [value for state in optimizer.state.values() for value in state.values() if torch.is_tensor(value)]
    for name in ("single_partition_of_fp32_groups", "fp32_partitioned_groups_flat"):
        found += [value for value in getattr(optimizer, name, None) or [] if torch.is_tensor(value)]
    return found


def _bytes(tensors: list[Any]) -> int:
    """Of what torch shards, this rank's part."""
    return sum(part.numel() * part.element_size() for part in (getattr(one, "_local_tensor", one) for one in tensors))

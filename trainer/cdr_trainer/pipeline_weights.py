"""The weights of a model that is cut into stages, as `transformers` reads them: a file for each, and an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .files import write_json

INDEX = "model.safetensors.index.json"


def save_part(folder: str, modules: dict[str, Any], stage: int, stages: int, writes: bool, group: Any) -> None:
    """`modules`: what this rank holds, by names in the model. All ranks come here; one of each stage `writes`."""
    import torch.distributed as dist
    from safetensors.torch import save_file

    name = f"model-{stage + 1:05d}-of-{stages:05d}.safetensors"
    mine: dict[str, tuple[str, int]] = {}
    if writes:
        tensors = {
            f"{prefix}.{key}": tensor.detach().cpu().contiguous()
            for prefix, module in modules.items()
            for key, tensor in module.state_dict().items()
        }
        save_file(tensors, Path(folder) / name, metadata={"format": "pt"})
        mine = {key: (name, tensor.numel() * tensor.element_size()) for key, tensor in tensors.items()}
    parts: list[dict[str, tuple[str, int]]] = [{}] * dist.get_world_size(group)
    dist.all_gather_object(parts, mine, group=group)
    if dist.get_rank(group) == 0:
        found = dict(sorted((key, entry) for part in parts for key, entry in part.items()))
        size = sum(size for _, size in found.values())
        places = {key: file for key, (file, _) in found.items()}
        write_json(Path(folder) / INDEX, {"metadata": {"total_size": size}, "weight_map": places}, durable=False)

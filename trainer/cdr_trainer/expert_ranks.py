"""Ranks that share the experts: DeepSpeed's AutoEP, whose layers take the place of those of transformers.

The engine puts them there as it is built. What this trainer reads and writes beside it, the groups of the optimizer
and the weights of a checkpoint, goes by the names that the classes of transformers have.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from .config import Config
from .errors import UserError


def expert_ranks(config: Config) -> int:
    """How many ranks share the experts of a layer; 1 where each has them all."""
    return int(config.get("expert_parallel", 1))


def layers_of(model: Any, engine: dict[str, Any]) -> list[Any]:
    """The layers that the engine will replace, as it describes them; asked before it has."""
    from deepspeed.module_inject.auto_ep import AutoEP
    from deepspeed.module_inject.auto_ep_config import parse_autoep_config

    _let_ask()
    found = AutoEP(model, parse_autoep_config(engine["expert_parallel"])).ep_parser()
    strange = [one.moe_module_name for one in found if one.expert_storage != "fused_3d"]
    if not found or strange:
        raise UserError(
            f"DeepSpeed finds no experts to share out in this model: {', '.join(strange) or 'no layer has any'}"
        )
    return found


def _let_ask() -> None:
    """Lets AutoEP read the register of transformers as the dictionary that it was: by text, and with a default."""
    from transformers.utils import output_capturing

    register = type(output_capturing._CAN_RECORD_REGISTRY)
    by_model = register.get
    if not hasattr(by_model, "by_text"):

        def get(self: Any, key: Any, *default: Any) -> Any:
            return dict.get(self, key, *default) if isinstance(key, str) else by_model(self, key)

        get.by_text = True  # type: ignore[attr-defined]
        register.get = get


def apart(groups: list[dict[str, Any]], model: Any, layers: list[Any], ranks: int) -> list[dict[str, Any]]:
    """Experts in groups of their own: other ranks hold copies of them than of the rest of the model."""
    owners = tuple(f"{one.moe_module_name}.{one.experts_name}." for one in layers)
    experts = {id(parameter) for name, parameter in model.named_parameters() if name.startswith(owners)}
    split = []
    for group in groups:
        shared = [one for one in group["params"] if id(one) in experts]
        split.append({**group, "params": [one for one in group["params"] if id(one) not in experts]})
        split.append({**group, "params": shared, "moe": True, "name": f"ep_size_{ranks}"})
    return [group for group in split if group["params"]]


def whole_weights(model: Any, layers: list[Any]) -> dict[str, Any]:
    """Gathered a layer at a time, and named as before the engine came; every rank calls, rank 0 uses them."""
    weights = dict(model.state_dict())
    for layer in layers:
        prefix = f"{layer.moe_module_name}."
        for name in [name for name in weights if name.startswith(prefix)]:
            del weights[name]
        weights |= {prefix + name: value for name, value in _whole_layer(model, layer).items()}
    return {name: value.detach().to("cpu") for name, value in weights.items()} if dist.get_rank() == 0 else {}


def _whole_layer(model: Any, layer: Any) -> dict[str, Any]:
    made = model.get_submodule(layer.moe_module_name)
    # The router may stand there under a second name, for who records its scores.
    home = layer.e_score_correction_bias_path
    renamed = {
        "router.e_score_correction_bias": ".".join(
            filter(None, [layer.router_name if home is None else home, "e_score_correction_bias"])
        ),
        "router.gate.": f"{layer.router_name}.",
        "router.": f"{layer.router_name}.",
        "shared_experts.": f"{layer.shared_experts_name}.",
        "shared_experts_gate.": f"{layer.shared_experts_gate_name}.",
    }
    found: dict[str, Any] = {}
    for name, value in made.state_dict().items():
        start = next((start for start in renamed if name.startswith(start)), None)
        if start is not None:
            found[renamed[start] + name.removeprefix(start)] = value
    gate, down, up = (_gathered(getattr(made.experts, name), made.ep_group) for name in ("w1", "w2", "w3"))
    experts = f"{layer.experts_name}."
    if layer.expert_w3_name is None:
        found[experts + layer.expert_w1_name] = torch.cat([gate, up], dim=1)
    else:
        found |= {experts + layer.expert_w1_name: gate, experts + layer.expert_w3_name: up}
    return found | {experts + layer.expert_w2_name: down}


def _gathered(own: torch.Tensor, group: Any) -> torch.Tensor:
    """All experts in their order: each rank has as many, one after another."""
    own = own.detach().contiguous()
    parts = [torch.empty_like(own) for _ in range(dist.get_world_size(group))]
    dist.all_gather(parts, own, group=group)
    return torch.cat(parts)

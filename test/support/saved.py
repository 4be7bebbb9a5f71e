"""Bytes that autograd keeps for one layer, per token: the difference between models of two and of one layer.

Reads `[{"models": [<one layer>, <two layers>], "mode": "fp32" | "bf16" | "autocast" | "sharded", "sequence": n, "attention": "sdpa" | "eager"}]` and prints the numbers.
"""

import json
import os
import sys
from functools import cache
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "trainer"))
from cdr_trainer import adapters, grouped, models  # noqa: E402
from cdr_trainer.config import Config  # noqa: E402


def build(m, attention):
    return models.named_class(m.build.model)._from_config(
        models.configuration(m, 0),
        attn_implementation=attention,
        experts_implementation=grouped.implementation(),
        dtype=torch.float32,
    )


@cache
def mesh():
    """This process as the only rank of a group."""
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", "RANK": "0", "WORLD_SIZE": "1"}
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    return torch.distributed.device_mesh.init_device_mesh("cpu", (1,))


def share(model):
    """FSDP2 with the policy that accelerate has for bf16."""
    from accelerate import FullyShardedDataParallelPlugin
    from torch.distributed.fsdp import fully_shard

    plugin = FullyShardedDataParallelPlugin(fsdp_version=2)
    plugin.set_mixed_precision("bf16")
    for module in (*adapters.layers_of(model)[1], model):
        fully_shard(module, mesh=mesh(), mp_policy=plugin.mixed_precision_policy)


def kept(m, mode, sequence, attention):
    model = build(m, attention).train()
    # Copies that autocast makes of a matrix, and what is gathered, are counted by the engine, not with the layer's activations.
    shapes = {tuple(p.shape) for p in model.parameters()}
    shapes |= {tuple(p.transpose(-1, -2).shape) for p in model.parameters() if p.dim() > 1}
    if mode == "bf16":
        model = model.to(torch.bfloat16)
    if mode == "sharded":
        share(model)
    own = {getattr(p, "_local_tensor", p).untyped_storage().data_ptr() for p in model.parameters()}
    own |= {b.untyped_storage().data_ptr() for b in model.buffers()}
    found = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own and tuple(tensor.shape) not in shapes:
            found[storage.data_ptr()] = (storage.nbytes(), tensor)
        return tensor

    ids = torch.randint(0, m.vocab, (1, sequence))
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
        with torch.autocast("cpu", torch.bfloat16, enabled=mode in ("autocast", "sharded")):
            model(input_ids=ids, labels=ids, use_cache=False)
    return sum(size for size, _ in found.values())


def per_layer(case):
    """`case.models` are the same but for the number of layers: one, and two or (of hybrids) one more of a kind."""
    one, two = case.models
    run = (case.mode, case.sequence, case.attention)
    return (kept(two, *run) - kept(one, *run)) / case.sequence


torch.manual_seed(0)
cases = json.load(sys.stdin, object_hook=lambda fields: Config(**fields))
print(json.dumps([per_layer(case) for case in cases]))

"""Bytes that autograd keeps for one layer, per token: the difference between models of two and of one layer.

Reads `[{"models": [<one layer>, <two layers>], "mode": "fp32" | "bf16" | "autocast" | "sharded" | "cuda autocast" | "cuda sharded", "sequence": n,
"attention": "sdpa" | "eager", "adapters": null | {"rank", "alpha", "dropout", "modules", "parameters"}}]` and prints the numbers. Those of CUDA are
on tensors that have no memory.
"""

import json
import os
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import masking_utils

sys.path.insert(0, str(Path(__file__).parents[2] / "trainer"))
from cdr_trainer import adapters, grouped, models, tuning  # noqa: E402
from cdr_trainer.config import Config  # noqa: E402


def build(m, attention, dtype=torch.float32):
    return models.named_class(m.build.model)._from_config(
        models.configuration(m, 0),
        attn_implementation=attention,
        experts_implementation=grouped.implementation(),
        dtype=dtype,
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


def fused(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """What PyTorch dispatches to on a card under autocast: its memory-efficient kernel where there is a mask, else FlashAttention."""
    query, key, value = (each.to(torch.bfloat16) for each in (query, key, value))
    aten = torch.ops.aten
    if attn_mask is None:
        return aten._scaled_dot_product_flash_attention(query, key, value, dropout_p, is_causal, scale=scale)[0]
    if attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill_(attn_mask.logical_not(), -torch.inf)
    bias = attn_mask.to(query.dtype).expand(*query.shape[:3], key.shape[2])
    return aten._scaled_dot_product_efficient_attention(query, key, value, bias, True, dropout_p, is_causal, scale=scale)[0]


def on_cards(stack):
    """PyTorch's autocast turns itself off where there is no such device."""
    stack.enter_context(FakeTensorMode())
    stack.enter_context(torch.device("cuda"))
    stack.enter_context(mock.patch.object(torch.nn.functional, "scaled_dot_product_attention", fused))
    # Positions have no values that say whether a row holds several sequences.
    stack.enter_context(mock.patch.object(masking_utils, "find_packed_sequence_indices", lambda _: None))
    stack.callback(torch.set_autocast_enabled, "cuda", False)
    torch.set_autocast_dtype("cuda", torch.bfloat16)


def adapted(model, settings, dtype):
    """With adapters beside all layers, as the trainer adds them, on a card: `Module.to` moves no tensor without memory."""
    with mock.patch.object(torch.nn.Module, "to", lambda self, *_, **__: self):
        model = adapters.add(model, settings, 0)
    tuning._narrow(model, "bf16", torch)
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.to(dtype)
    return model


def kept(m, mode, sequence, attention, beside):
    with ExitStack() as stack:
        is_cuda = mode.startswith("cuda")
        if is_cuda:
            on_cards(stack)
        dtype = torch.bfloat16 if mode == "cuda sharded" else torch.float32
        model = build(m, attention, dtype)
        if beside is not None:
            model = adapted(model, beside, dtype)
        model.train()
        # Copies that autocast makes of a matrix, and what is gathered, are counted by the engine, not with the layer's activations.
        shapes = {tuple(p.shape) for p in model.parameters()}
        shapes |= {tuple(p.transpose(-1, -2).shape) for p in model.parameters() if p.dim() > 1}
        if mode == "bf16":
            model = model.to(torch.bfloat16)
        if mode == "sharded":
            share(model)
        own = {storage_of(getattr(p, "_local_tensor", p)) for p in model.parameters()}
        own |= {storage_of(b) for b in model.buffers()}
        found = {}

        def keep(tensor):
            # Seeds do not grow with the tokens, nor do on a card indices and sums.
            least = sequence if is_cuda else 2
            if tensor.numel() >= least and storage_of(tensor) not in own and tuple(tensor.shape) not in shapes:
                found[storage_of(tensor)] = (tensor.untyped_storage().nbytes(), tensor)
            return tensor

        ids = torch.zeros((1, sequence), dtype=torch.long)
        stack.enter_context(torch.autocast("cpu", torch.bfloat16, enabled=mode in ("autocast", "sharded")))
        torch.set_autocast_enabled("cuda", is_cuda)
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
            model(input_ids=ids, labels=ids, use_cache=False)
        return sum(size for size, _ in found.values())


def storage_of(tensor):
    return tensor.untyped_storage()._cdata


def per_layer(case):
    """`case.models` are the same but for the number of layers: one, and two or (of hybrids) one more of a kind."""
    one, two = case.models
    run = (case.mode, case.sequence, case.attention, case.get("adapters", None))
    return (kept(two, *run) - kept(one, *run)) / case.sequence


torch.manual_seed(0)
cases = json.load(sys.stdin, object_hook=lambda fields: Config(**fields))
print(json.dumps([per_layer(case) for case in cases]))

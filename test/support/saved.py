"""Bytes that autograd keeps for one layer, per token: the difference between models of two and of one layer.

Reads `[{"model": <properties>, "mode": "fp32" | "bf16" | "autocast", "sequence": n}]` and prints the numbers.
"""

import copy
import json
import sys

import torch
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
)

ACTIVATIONS = {"gelu": "gelu", "gelu_tanh": "gelu_pytorch_tanh", "relu": "relu", "relu2": "relu2", "silu": "silu"}


def build(m):
    shared = {"vocab_size": m["vocab"], "bos_token_id": None, "eos_token_id": None, "attn_implementation": "sdpa"}
    if m["family"] == "gpt2":
        return GPT2LMHeadModel(
            GPT2Config(
                n_positions=m["context"],
                n_embd=m["d_model"],
                n_layer=m["layers"],
                n_head=m["heads"],
                n_inner=m["d_ff"],
                activation_function=ACTIVATIONS[m["activation"]],
                resid_pdrop=0,
                embd_pdrop=0,
                attn_pdrop=0,
                **shared,
            )
        )
    if m["family"] == "gpt_neox":
        return GPTNeoXForCausalLM(
            GPTNeoXConfig(
                hidden_size=m["d_model"],
                num_hidden_layers=m["layers"],
                num_attention_heads=m["heads"],
                intermediate_size=m["d_ff"],
                hidden_act=ACTIVATIONS[m["activation"]],
                max_position_embeddings=m["context"],
                use_parallel_residual=m["parallel_residual"],
                rope_parameters={
                    "rope_type": "default",
                    "rope_theta": 10000.0,
                    "partial_rotary_factor": m["rotary_fraction"],
                },
                **shared,
            )
        )
    return LlamaForCausalLM(
        LlamaConfig(
            hidden_size=m["d_model"],
            intermediate_size=m["d_ff"],
            num_hidden_layers=m["layers"],
            num_attention_heads=m["heads"],
            num_key_value_heads=m["kv_heads"],
            head_dim=m["head_dim"],
            hidden_act=ACTIVATIONS[m["activation"]],
            max_position_embeddings=m["context"],
            **shared,
        )
    )


def kept(m, mode, sequence):
    model = build(m).train()
    if mode == "bf16":
        model = model.to(torch.bfloat16)
    own = {p.untyped_storage().data_ptr() for p in model.parameters()}
    own |= {b.untyped_storage().data_ptr() for b in model.buffers()}
    # Copies that autocast makes of a matrix are counted by the engine, not with the layer's activations.
    shapes = {tuple(p.shape) for p in model.parameters()} | {tuple(p.t().shape) for p in model.parameters() if p.dim() == 2}
    found = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own and tuple(tensor.shape) not in shapes:
            found[storage.data_ptr()] = (storage.nbytes(), tensor)
        return tensor

    ids = torch.randint(0, m["vocab"], (1, sequence))
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
        with torch.autocast("cpu", torch.bfloat16, enabled=mode == "autocast"):
            model(input_ids=ids, labels=ids, use_cache=False)
    return sum(size for size, _ in found.values())


def per_layer(case):
    one = copy.deepcopy(case["model"]) | {"layers": 1}
    two = one | {"layers": 2}
    difference = kept(two, case["mode"], case["sequence"]) - kept(one, case["mode"], case["sequence"])
    return difference / case["sequence"]


torch.manual_seed(0)
print(json.dumps([per_layer(case) for case in json.load(sys.stdin)]))

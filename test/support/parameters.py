"""Reads a JSON list of models (the properties of a plan) and prints the parameters that transformers builds."""

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


def build(m):
    shared = {"vocab_size": m["vocab"], "tie_word_embeddings": m["tied"], "bos_token_id": None, "eos_token_id": None}
    if m["family"] == "gpt2":
        config = GPT2Config(
            n_positions=m["context"], n_embd=m["d_model"], n_layer=m["layers"], n_head=m["heads"], n_inner=m["d_ff"], **shared
        )
        return GPT2LMHeadModel(config)
    if m["family"] == "gpt_neox":
        config = GPTNeoXConfig(
            hidden_size=m["d_model"],
            num_hidden_layers=m["layers"],
            num_attention_heads=m["heads"],
            intermediate_size=m["d_ff"],
            max_position_embeddings=m["context"],
            use_parallel_residual=m["parallel_residual"],
            attention_bias=m["qkv_bias"],
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10000.0,
                "partial_rotary_factor": m["rotary_fraction"],
            },
            **shared,
        )
        return GPTNeoXForCausalLM(config)
    config = LlamaConfig(
        hidden_size=m["d_model"],
        intermediate_size=m["d_ff"],
        num_hidden_layers=m["layers"],
        num_attention_heads=m["heads"],
        num_key_value_heads=m["kv_heads"],
        head_dim=m["head_dim"],
        max_position_embeddings=m["context"],
        attention_bias=m["qkv_bias"],
        mlp_bias=m["bias"],
        **shared,
    )
    return LlamaForCausalLM(config)


with torch.device("meta"):
    counts = [sum(p.numel() for p in build(m).parameters()) for m in json.load(sys.stdin)]
print(json.dumps(counts))

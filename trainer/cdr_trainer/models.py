"""A model of `transformers` from the properties of contracts.md, built with seeded weights and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .config import Config
from .errors import UserError

# `gelu_pytorch_tanh` computes `gelu_new` in one kernel.
_ACTIVATIONS = {"gelu": "gelu", "gelu_tanh": "gelu_pytorch_tanh", "relu": "relu", "relu2": "relu2", "silu": "silu"}

# What the modules of `transformers` cannot vary, by family.
_FIXED: dict[str, dict[str, Any]] = {
    "gpt2": {
        "norm": "layer",
        "gated": False,
        "bias": True,
        "parallel_residual": False,
        "positions": "learned",
    },
    "gpt_neox": {"norm": "layer", "gated": False, "bias": True, "positions": "rope"},
    "llama": {
        "norm": "rms",
        "gated": True,
        "parallel_residual": False,
        "positions": "rope",
        "rotary_fraction": 1,
    },
}


def configuration(model: Config, end: int) -> Any:
    """The `transformers` configuration; `end` is the id of the end-of-document token."""
    _refuse_unsupported(model)
    shared = {
        "vocab_size": model.vocab,
        "initializer_range": model.init_std,
        "tie_word_embeddings": model.tied,
        "bos_token_id": None,
        "eos_token_id": end,
        "pad_token_id": None,
    }
    return {"gpt2": _gpt2, "gpt_neox": _gpt_neox, "llama": _llama}[model.family](model, shared)


def build(model: Config, end: int, attention: str) -> Any:
    """Weights come from torch's generator, so seed it before. Under ZeRO-3 the parameters are born partitioned."""
    import torch

    settings = configuration(model, end)
    made = _class(model.family)._from_config(settings, attn_implementation=attention, dtype=torch.float32)
    check_count(made, model)
    return made


def load(path: Path, model: Config, end: int, attention: str) -> Any:
    """The same model with the weights of a checkpoint directory, in float32."""
    import torch

    settings = configuration(model, end)
    try:
        made = _class(model.family).from_pretrained(
            str(path), config=settings, attn_implementation=attention, dtype=torch.float32, local_files_only=True
        )
    except (RuntimeError, ValueError) as error:
        raise UserError(f"the weights of {path} do not fit this model: {error}") from error
    check_count(made, model)
    return made


def check_count(made: Any, model: Config) -> None:
    found = count_parameters(made)
    if found != model.parameters:
        raise UserError(
            f"the {model.family} model has {found:,} parameters and the plan says {model.parameters:,}: "
            "the compiler and the installed `transformers` disagree about this family"
        )


def count_parameters(made: Any) -> int:
    """Shared ones once. A parameter that ZeRO-3 partitioned keeps its full size in `ds_numel`."""
    return sum(getattr(parameter, "ds_numel", parameter.numel()) for parameter in made.parameters())


def _class(family: str) -> Any:
    if family == "gpt2":
        from transformers import GPT2LMHeadModel

        return GPT2LMHeadModel
    if family == "gpt_neox":
        from transformers import GPTNeoXForCausalLM

        return GPTNeoXForCausalLM
    from transformers import LlamaForCausalLM

    return LlamaForCausalLM


def _refuse_unsupported(model: Config) -> None:
    wrong = [
        f"`{name}` {getattr(model, name)} (only {value})"
        for name, value in _FIXED[model.family].items()
        if getattr(model, name) != value
    ]
    if model.family != "llama" and model.kv_heads != model.heads:
        wrong.append(f"`kv_heads` {model.kv_heads} (only {model.heads})")
    if model.family != "llama" and model.heads * model.head_dim != model.d_model:
        wrong.append(f"`head_dim` {model.head_dim} (only d_model / heads)")
    if wrong:
        raise UserError(f"`transformers` has no {model.family} with {', '.join(wrong)}")


def _gpt2(model: Config, shared: dict[str, Any]) -> Any:
    from transformers import GPT2Config

    return GPT2Config(
        n_positions=model.context,
        n_embd=model.d_model,
        n_layer=model.layers,
        n_head=model.heads,
        n_inner=model.d_ff,
        activation_function=_ACTIVATIONS[model.activation],
        resid_pdrop=model.dropout,
        embd_pdrop=model.dropout,
        attn_pdrop=model.dropout,
        layer_norm_epsilon=model.norm_eps,
        **shared,
    )


def _gpt_neox(model: Config, shared: dict[str, Any]) -> Any:
    from transformers import GPTNeoXConfig

    return GPTNeoXConfig(
        hidden_size=model.d_model,
        num_hidden_layers=model.layers,
        num_attention_heads=model.heads,
        intermediate_size=model.d_ff,
        hidden_act=_ACTIVATIONS[model.activation],
        attention_dropout=model.dropout,
        hidden_dropout=model.dropout,
        max_position_embeddings=model.context,
        layer_norm_eps=model.norm_eps,
        use_parallel_residual=model.parallel_residual,
        attention_bias=model.qkv_bias,
        rope_parameters={
            "rope_type": "default",
            "rope_theta": float(model.rope_theta),
            "partial_rotary_factor": float(model.rotary_fraction),
        },
        **shared,
    )


def _llama(model: Config, shared: dict[str, Any]) -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(
        hidden_size=model.d_model,
        intermediate_size=model.d_ff,
        num_hidden_layers=model.layers,
        num_attention_heads=model.heads,
        num_key_value_heads=model.kv_heads,
        head_dim=model.head_dim,
        hidden_act=_ACTIVATIONS[model.activation],
        max_position_embeddings=model.context,
        rms_norm_eps=model.norm_eps,
        attention_bias=model.qkv_bias,
        mlp_bias=model.bias,
        attention_dropout=model.dropout,
        rope_parameters={"rope_type": "default", "rope_theta": float(model.rope_theta)},
        **shared,
    )

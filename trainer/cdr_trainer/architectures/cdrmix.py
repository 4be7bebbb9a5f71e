"""CDRmix: of four layers three mix time by RWKV-7 and one attends; routed experts in each."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import nn
from transformers import PreTrainedConfig
from transformers.masking_utils import create_causal_mask
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRMSNorm, LlamaRotaryEmbedding
from transformers.models.mixtral.modeling_mixtral import load_balancing_loss_func

from .causal_model import CausalModel, Layer
from .experts import RoutedExperts
from .rwkv7 import TimeMix

ATTENTION = "*"


class CdrmixConfig(PreTrainedConfig):
    """`pattern` has a letter for each layer: `R` mixes time by RWKV-7, `*` attends."""

    model_type = "cdr_cdrmix"

    hidden_size: int = 2048
    num_hidden_layers: int = 24
    num_attention_heads: int = 16
    num_key_value_heads: int = 16
    attention_bias: bool = False
    attention_dropout: float = 0.0
    rope_parameters: dict | None = None
    vocab_size: int = 50272
    max_position_embeddings: int = 4096
    pattern: str = ""
    head_dim: int = 128
    rwkv_head_dim: int = 64
    decay_rank: int = 96
    rate_rank: int = 96
    value_rank: int = 64
    gate_rank: int = 256
    moe_intermediate_size: int = 5461
    num_local_experts: int = 8
    num_experts_per_tok: int = 2
    router_aux_loss_coef: float = 0.01
    rms_norm_eps: float = 1e-5
    initializer_range: float = 0.02


class CdrmixLayer(Layer):
    def __init__(self, config: CdrmixConfig, index: int) -> None:
        super().__init__()
        self.attends = config.pattern[index] == ATTENTION
        self.ln1 = LlamaRMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.mix = LlamaAttention(config, index) if self.attends else TimeMix(config, index, config.rwkv_head_dim)
        self.ln2 = LlamaRMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.ffn = RoutedExperts(config)

    def forward(
        self, x: torch.Tensor, first: torch.Tensor | None, rotation: Any, mask: Any
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor]:
        if self.attends:
            mixed, _ = self.mix(self.ln1(x), position_embeddings=rotation, attention_mask=mask)
        else:
            mixed, first = self.mix(self.ln1(x), first)
        x = x + mixed
        out, logits = self.ffn(self.ln2(x))
        return x + out, first, logits


class CdrmixForCausalLM(CausalModel):
    config_class = CdrmixConfig
    _no_split_modules: ClassVar[list[str]] = ["CdrmixLayer"]
    _supports_sdpa = True

    def __init__(self, config: CdrmixConfig) -> None:
        super().__init__(config)
        self.emb = nn.Embedding(config.vocab_size, config.hidden_size)
        self.ln0 = LlamaRMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.rotary = LlamaRotaryEmbedding(config)
        self.blocks = nn.ModuleList(CdrmixLayer(config, index) for index in range(config.num_hidden_layers))
        self.ln_out = LlamaRMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self._logits: tuple[torch.Tensor, ...] = ()
        self.post_init()

    def hidden_states(self, tokens: torch.Tensor) -> torch.Tensor:
        x, first = self.ln0(self.emb(tokens)), None
        places = torch.arange(tokens.shape[1], device=tokens.device)[None]
        rotation = self.rotary(x, position_ids=places)
        mask = create_causal_mask(self.config, x, None, None, places)
        logits = []
        for block in self.blocks:
            x, first, routed = block(x, first, rotation, mask)
            logits.append(routed)
        self._logits = tuple(logits)
        return self.ln_out(x)

    def auxiliary_loss(self) -> torch.Tensor | None:
        """Balance of the experts' loads (Fedus et al. 2021, arXiv 2101.03961, equation 4), in training only."""
        logits, self._logits = self._logits, ()
        if not self.training or self.config.router_aux_loss_coef == 0:
            return None
        balance = load_balancing_loss_func(logits, self.config.num_local_experts, self.config.num_experts_per_tok)
        return self.config.router_aux_loss_coef * balance

"""RWKV-7 "Goose" (Peng et al. 2025, arXiv 2503.14456); parameters have the names of its published checkpoints."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import torch
from torch import nn
from torch.nn import functional
from transformers import PreTrainedConfig
from transformers import initialization as init

from .causal_model import CausalModel, Layer
from .delta_rule import delta_rule

DECAY = -math.exp(-0.5)
"""The logarithm of the strongest decay of a step: equation 8 there."""


class Rwkv7Config(PreTrainedConfig):
    model_type = "cdr_rwkv7"

    hidden_size: int = 768
    num_hidden_layers: int = 12
    intermediate_size: int = 3072
    vocab_size: int = 65536
    max_position_embeddings: int = 4096
    head_dim: int = 64
    decay_rank: int = 64
    rate_rank: int = 64
    value_rank: int = 32
    gate_rank: int = 128
    norm_eps: float = 1e-5
    initializer_range: float = 0.02


def shifted(x: torch.Tensor) -> torch.Tensor:
    """The token before minus this one; `x` is `(batch, time, width)`."""
    return functional.pad(x, (0, 0, 1, -1)) - x


class Projection(nn.Linear):
    """Starts uniform within `reach / sqrt(inputs)`, or at 0."""

    def __init__(self, inputs: int, outputs: int, reach: float) -> None:
        super().__init__(inputs, outputs, bias=False)
        self.bound = reach * inputs**-0.5

    def initialize(self) -> None:
        init.uniform_(self.weight, -self.bound, self.bound)


class TimeMix(nn.Module):
    """Section 4 of the paper. Returns its output and the values of the first layer, which later layers mix in."""

    def __init__(self, config: Any, index: int, head_dim: int) -> None:
        super().__init__()
        width = config.hidden_size
        self.width, self.heads, self.head_dim = width, width // head_dim, head_dim
        for name in ("x_r", "x_w", "x_k", "x_v", "x_a", "x_g", "k_k", "k_a", "r_k", "w0", "a0", "v0"):
            setattr(self, name, nn.Parameter(torch.empty(width)))
        ranks = {"w": config.decay_rank, "a": config.rate_rank, "v": config.value_rank, "g": config.gate_rank}
        for name, rank in ranks.items():
            setattr(self, f"{name}1", nn.Parameter(torch.empty(width, rank)))
            setattr(self, f"{name}2", nn.Parameter(torch.empty(rank, width)))
        self.receptance = Projection(width, width, 0.5)
        self.key = Projection(width, width, 0.05)
        self.value = Projection(width, width, 0.5)
        self.output = Projection(width, width, 0)
        self.ln_x = nn.GroupNorm(self.heads, width, eps=64e-5)
        self.place = index / max(1, config.num_hidden_layers - 1), index / config.num_hidden_layers

    def forward(self, x: torch.Tensor, first: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        batch, time, width = x.shape
        before = shifted(x)
        mixed = {name: x + before * getattr(self, f"x_{name}") for name in "rwkvag"}

        receptance, key, value = self.receptance(mixed["r"]), self.key(mixed["k"]), self.value(mixed["v"])
        log_decay = DECAY * torch.sigmoid((self.w0 + torch.tanh(mixed["w"] @ self.w1) @ self.w2).float())
        rate = torch.sigmoid(self.a0 + mixed["a"] @ self.a1 @ self.a2)
        gate = torch.sigmoid(mixed["g"] @ self.g1) @ self.g2
        first = value if first is None else first
        # On the first layer the difference is 0: its parameters exist in checkpoints and get a gradient of 0.
        value = value + (first - value) * torch.sigmoid(self.v0 + mixed["v"] @ self.v1 @ self.v2)

        by_head = (batch, time, self.heads, self.head_dim)
        removal = functional.normalize((key * self.k_k).view(by_head).float(), dim=-1)
        key = key * (1 + (rate - 1) * self.k_a)
        with torch.autocast(x.device.type, enabled=False):
            split = [one.view(by_head).float() for one in (receptance, log_decay, key, value)]
            out = delta_rule(*split, removal, rate.view(by_head).float())
        out = self.ln_x(out.reshape(-1, width).to(x.dtype)).view(batch, time, width)
        bonus = (receptance * key * self.r_k).view(by_head).sum(dim=-1, keepdim=True) * value.view(by_head)
        return self.output((out + bonus.view(batch, time, width)) * gate), first

    def initialize(self) -> None:
        """Decays, rates and mixes as the authors start them (BlinkDL/RWKV-LM, RWKV-v7)."""
        width = self.width
        deep, used = self.place
        rest = 1 - used
        at = torch.arange(width, dtype=torch.float32)
        ramp, decay = at / width, -6.5 + 5 * (at / max(1, width - 1)) ** (0.85 + math.sqrt(deep))
        starts = {
            "x_r": 1 - ramp ** (0.2 * rest),
            "x_w": 1 - ramp ** (0.9 * rest),
            "x_k": 1 - ramp ** (0.9 * rest) - 0.4 * deep,
            "x_v": 1 - ramp ** (0.4 * rest) - 0.6 * deep,
            "x_a": 1 - ramp ** (0.9 * rest),
            "x_g": 1 - ramp ** (0.2 * rest),
            "k_k": torch.full((width,), 0.85),
            "k_a": torch.ones(width),
            "r_k": torch.zeros(width),
            "w0": decay,
            "a0": torch.zeros(width),
            "v0": torch.ones(width),
        }
        for name, start in starts.items():
            init.copy_(getattr(self, name), start)
        for name in "wavg":
            init.zeros_(getattr(self, f"{name}1"))
            init.orthogonal_(getattr(self, f"{name}2"), gain=0.1)


class ChannelMix(nn.Module):
    def __init__(self, config: Any, index: int) -> None:
        super().__init__()
        self.width = config.hidden_size
        self.x_k = nn.Parameter(torch.empty(self.width))
        self.key = Projection(config.hidden_size, config.intermediate_size, 0.5)
        self.value = Projection(config.intermediate_size, config.hidden_size, 0)
        self.rest = 1 - index / config.num_hidden_layers

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.value(torch.relu(self.key(x + shifted(x) * self.x_k)) ** 2)

    def initialize(self) -> None:
        init.copy_(self.x_k, 1 - (torch.arange(self.width, dtype=torch.float32) / self.width) ** (self.rest**4))


class Rwkv7Layer(Layer):
    def __init__(self, config: Rwkv7Config, index: int) -> None:
        super().__init__()
        if index == 0:
            self.ln0 = nn.LayerNorm(config.hidden_size, eps=config.norm_eps)
        self.ln1 = nn.LayerNorm(config.hidden_size, eps=config.norm_eps)
        self.att = TimeMix(config, index, config.head_dim)
        self.ln2 = nn.LayerNorm(config.hidden_size, eps=config.norm_eps)
        self.ffn = ChannelMix(config, index)

    def forward(self, x: torch.Tensor, first: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        if hasattr(self, "ln0"):
            x = self.ln0(x)
        mixed, first = self.att(self.ln1(x), first)
        x = x + mixed
        return x + self.ffn(self.ln2(x)), first


class Rwkv7ForCausalLM(CausalModel):
    config_class = Rwkv7Config
    _no_split_modules: ClassVar[list[str]] = ["Rwkv7Layer"]

    def __init__(self, config: Rwkv7Config) -> None:
        super().__init__(config)
        self.emb = nn.Embedding(config.vocab_size, config.hidden_size)
        self.blocks = nn.ModuleList(Rwkv7Layer(config, index) for index in range(config.num_hidden_layers))
        self.ln_out = nn.LayerNorm(config.hidden_size, eps=config.norm_eps)
        self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()

    def hidden_states(self, tokens: torch.Tensor) -> torch.Tensor:
        x, first = self.emb(tokens), None
        for block in self.blocks:
            x, first = block(x, first)
        return self.ln_out(x)

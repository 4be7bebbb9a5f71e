"""Experts in place of a feed-forward part."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from transformers import initialization as init


class Router(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        self.top_k, self.std = config.num_experts_per_tok, config.initializer_range
        self.weight = nn.Parameter(torch.empty(config.num_local_experts, config.hidden_size))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Of tokens `(tokens, width)`: logits `(tokens, experts)`, then weights and experts `(tokens, top_k)`."""
        logits = functional.linear(x, self.weight).float()
        weights, chosen = logits.softmax(dim=-1).topk(self.top_k, dim=-1)
        return logits, weights / weights.sum(dim=-1, keepdim=True), chosen

    def initialize(self) -> None:
        init.normal_(self.weight, mean=0.0, std=self.std)


class Experts(nn.Module):
    """Two matrices each, with a squared ReLU between them."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        experts, width, inner = config.num_local_experts, config.hidden_size, config.moe_intermediate_size
        self.std = config.initializer_range
        self.up_proj = nn.Parameter(torch.empty(experts, width, inner))
        self.down_proj = nn.Parameter(torch.empty(experts, inner, width))

    def forward(self, x: torch.Tensor, weights: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        """Every expert runs once, on its tokens in one product."""
        out = torch.zeros_like(x)
        for expert in range(self.up_proj.shape[0]):
            token, rank = torch.where(chosen == expert)
            inner = torch.relu(x[token] @ self.up_proj[expert]) ** 2
            scaled = (inner @ self.down_proj[expert]) * weights[token, rank, None]
            out = out.index_add(0, token, scaled.to(out.dtype))
        return out

    def initialize(self) -> None:
        init.normal_(self.up_proj, mean=0.0, std=self.std)
        init.normal_(self.down_proj, mean=0.0, std=self.std)


class RoutedExperts(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        self.router = Router(config)
        self.experts = Experts(config)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Output like `x`, `(batch, time, width)`, and the router's logits, `(batch * time, experts)`."""
        flat = x.reshape(-1, x.shape[-1])
        logits, weights, chosen = self.router(flat)
        return self.experts(flat, weights, chosen).view_as(x), logits

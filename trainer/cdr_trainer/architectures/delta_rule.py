"""RWKV-7's recurrence in chunks of products."""

from __future__ import annotations

import torch
from torch.nn import functional

CHUNK = 16
"""Decays of a step are at least `exp(-exp(-0.5)) = 0.545`, so their product over a chunk stays far from 0 in fp32."""


def delta_rule(
    receptance: torch.Tensor,
    log_decay: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    removal: torch.Tensor,
    rate: torch.Tensor,
) -> torch.Tensor:
    """What is read of a state that forgets, removes and writes, token by token.

    Arguments and result have the shape `(batch, time, heads, head_dim)`, in fp32. The state of a head maps keys to
    values and starts at 0; for token `t`

        S_t = S_(t-1) (diag(exp(log_decay_t)) - removal_t^T (rate_t * removal_t)) + value_t^T key_t
        y_t = S_t receptance_t

    (Peng et al. 2025, arXiv 2503.14456, equations 16 and 17). Inside a chunk the terms `S_(t-1) removal_t` solve one
    triangular system (Yang et al. 2024, arXiv 2406.06484, section 3), so that only the chunks follow one another.
    """
    batch, time, heads, width = receptance.shape
    padding = -time % CHUNK
    chunked = [
        functional.pad(one, (0, 0, 0, 0, 0, padding)).view(batch, -1, CHUNK, heads, width).transpose(2, 3)
        for one in (receptance, log_decay, key, value, -removal, removal * rate)
    ]
    read, log_decay, write, value, remove, put = chunked

    passed = log_decay.cumsum(dim=-2)
    read = read * passed.exp()
    remove = remove * (passed - log_decay).exp()
    write = write * (-passed).exp()
    put = put * (-passed).exp()

    # u_t = S_(t-1) remove_t, for all t of a chunk: (1 - L) u = remove S^T + (remove write^T) value.
    eye = torch.eye(CHUNK, dtype=read.dtype, device=read.device)
    lower = (remove @ put.mT).tril(-1)
    right = torch.cat([remove, (remove @ write.mT).tril(-1) @ value], dim=-1)
    solved = torch.linalg.solve_triangular(eye - lower, right, upper=False, unitriangular=True)
    of_state, of_values = solved.split(width, dim=-1)

    # Across a chunk the transposed state goes through one affine map.
    left = passed[..., -1, :, None].exp()
    turn = left * (torch.eye(width, dtype=read.dtype, device=read.device) + put.mT @ of_state)
    shift = left * (put.mT @ of_values + write.mT @ value)
    state = torch.zeros_like(shift[:, 0])
    states = []
    for chunk in range(turn.shape[1]):
        states.append(state)
        state = turn[:, chunk] @ state + shift[:, chunk]
    before = torch.stack(states, dim=1)

    removed = of_state @ before + of_values
    out = read @ before + (read @ put.mT).tril() @ removed + (read @ write.mT).tril() @ value
    return out.transpose(2, 3).reshape(batch, time + padding, heads, width)[:, :time]

"""Learning rate as a share of its peak, for update number `step` counted from 0.

Warm-up is linear and reaches the peak with its last update: (step + 1) / warmup_steps. After it, with
p = (step + 1 - warmup) / (steps - warmup) in (0, 1], so that the last update has exactly `final_ratio`:

- cosine: final + (1 - final) (1 + cos(pi p)) / 2 (SGDR without restarts, arXiv 1608.03983, equation 5)
- linear: 1 - (1 - final) p
- constant: 1
- wsd: 1, then over the last `cooldown_steps` linearly to final (warmup-stable-decay, arXiv 2404.06395, section 4;
  linear cooldown as in arXiv 2405.18392, section 3)
"""

from __future__ import annotations

import math

from .config import Config


def share(step: int, steps: int, schedule: Config) -> float:
    if step < schedule.warmup_steps:
        return (step + 1) / schedule.warmup_steps
    final = schedule.final_ratio
    done = min(1.0, (step + 1 - schedule.warmup_steps) / max(1, steps - schedule.warmup_steps))
    if schedule.name == "cosine":
        return final + (1 - final) * (1 + math.cos(math.pi * done)) / 2
    if schedule.name == "linear":
        return 1 - (1 - final) * done
    if schedule.name == "wsd":
        left = steps - (step + 1)
        if left >= schedule.cooldown_steps:
            return 1.0
        return 1 - (1 - final) * min(1.0, 1 - left / max(1, schedule.cooldown_steps))
    return 1.0

"""Ranks that share the tokens of a sequence: DeepSpeed's Ulysses, through accelerate."""

from __future__ import annotations

from typing import Any

import torch

from .config import Config
from .dataset import collate


def sequence_ranks(config: Config) -> int:
    """How many ranks share a sequence; 1 where each reads its own."""
    return int(config.get("context_parallel", 1))


def added_up(config: Config, zero_stage: int | None) -> int:
    """How many ranks' gradients DeepSpeed adds up where a mean is wanted.

    Stages 0 to 2 divide the sum over all ranks by the number of replicas (zero/stage_1_and_2.py: average_tensor;
    engine.py: _reduce_non_expert_gradients), stage 3 by that of ranks (comm/coalesced_collectives.py).
    """
    return 1 if zero_stage == 3 else sequence_ranks(config)


def arguments_of(config: Config) -> dict[str, Any]:
    """The part of `TrainingArguments` that splits sequences."""
    ranks = sequence_ranks(config)
    if ranks == 1:
        return {}
    from accelerate.parallelism_config import ParallelismConfig
    from accelerate.utils import DeepSpeedSequenceParallelConfig

    handler = DeepSpeedSequenceParallelConfig(
        sp_seq_length=config.batch.sequence,
        sp_seq_length_is_variable=False,
        sp_attn_implementation=config.attention,
    )
    split = ParallelismConfig(
        dp_shard_size=config.world // ranks, sp_size=ranks, sp_backend="deepspeed", sp_handler=handler
    )
    return {"parallelism_config": split}


class Slices:
    """Collates the part of each sample that this rank holds: as many tokens on each, in the order of the ranks.

    DeepSpeed's own loader would gather a sample of each rank and hand out parts of them in turn. The ranks of a
    sequence read the same sample here instead, so that a position in the data stays a step and nothing else.
    """

    def __init__(self, rank: int, ranks: int) -> None:
        self.rank, self.ranks = rank % ranks, ranks

    def __call__(self, samples: list[Any]) -> dict[str, torch.Tensor]:
        whole = collate(samples)
        rows, length = whole["input_ids"].shape
        whole["position_ids"] = torch.arange(length).expand(rows, length)
        size = length // self.ranks
        mine = slice(self.rank * size, (self.rank + 1) * size)
        return {name: tensor[:, mine].contiguous() for name, tensor in whole.items()}

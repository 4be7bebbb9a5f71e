"""Samples of a packed token stream, and which of them each rank sees at each step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch.utils.data import Dataset

from .permutation import Permutation


class PackedDataset(Dataset):
    """`total` samples in training order: every epoch is a permutation of the stream's windows of its own.

    Window w holds tokens [w T, w T + T]; its first T are the input, its last T the targets.
    """

    def __init__(self, tokens: np.ndarray, sequence: int, seed: int, total: int) -> None:
        self.tokens = tokens
        self.sequence = sequence
        self.seed = seed
        self.total = total
        self.windows = (len(tokens) - 1) // sequence
        self._epoch = -1
        self._order: Permutation | None = None

    def __len__(self) -> int:
        return self.total

    def __getitem__(self, index: int) -> np.ndarray:
        """Shape [T + 1], int64."""
        epoch, position = divmod(index, self.windows)
        if epoch != self._epoch or self._order is None:
            self._epoch, self._order = epoch, Permutation(self.windows, self.seed, epoch)
        return window(self.tokens, self._order[position], self.sequence)


def window(tokens: np.ndarray, index: int, sequence: int) -> np.ndarray:
    start = index * sequence
    return np.asarray(tokens[start : start + sequence + 1], dtype=np.int64)


def collate(samples: list[np.ndarray]) -> dict[str, torch.Tensor]:
    """Both tensors have shape [batch, T]: `labels` are `input_ids` one position on."""
    block = torch.from_numpy(np.stack(samples))
    return {"input_ids": block[:, :-1].contiguous(), "labels": block[:, 1:].contiguous()}


class RankBatches:
    """Sample indices of one rank's micro-batches, in order.

    Sample number ((step A + micro) W + rank) B + b goes to batch row b of that rank: a step takes the next W A B
    samples of the training order, so a position in the data is a step and nothing else.
    """

    def __init__(self, steps: int, accumulation: int, world: int, rank: int, batch: int) -> None:
        self.micro_batches = steps * accumulation
        self.world, self.rank, self.batch_size = world, rank, batch

    def __len__(self) -> int:
        return self.micro_batches

    def __iter__(self) -> Iterator[list[int]]:
        for number in range(self.micro_batches):
            first = (number * self.world + self.rank) * self.batch_size
            yield list(range(first, first + self.batch_size))

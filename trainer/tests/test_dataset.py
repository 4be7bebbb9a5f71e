"""Every window once an epoch, every rank its own, targets one position on."""

from __future__ import annotations

import numpy as np
import pytest

from cdr_trainer.dataset import PackedDataset, RankBatches, collate
from cdr_trainer.permutation import Permutation


@pytest.mark.parametrize("count", [1, 2, 3, 17, 64, 1000])
def test_permutation_is_one(count: int) -> None:
    order = Permutation(count, seed=5, epoch=2)
    assert sorted(order[n] for n in range(count)) == list(range(count))


def test_permutation_depends_on_seed_and_epoch() -> None:
    orders = {tuple(Permutation(100, seed, epoch)[n] for n in range(100)) for seed in (1, 2) for epoch in (0, 1)}
    assert len(orders) == 4


def test_epochs_hold_every_window_once() -> None:
    data = PackedDataset(np.arange(41, dtype=np.uint16), sequence=4, seed=1, total=20)
    assert data.windows == 10
    first = [int(data[n][0]) for n in range(10)]
    second = [int(data[n][0]) for n in range(10, 20)]
    assert sorted(first) == sorted(second) == list(range(0, 40, 4))
    assert first != second


def test_targets_are_one_position_on() -> None:
    batch = collate([np.arange(5), np.arange(10, 15)])
    assert batch["input_ids"].tolist() == [[0, 1, 2, 3], [10, 11, 12, 13]]
    assert batch["labels"].tolist() == [[1, 2, 3, 4], [11, 12, 13, 14]]


def test_ranks_share_out_every_step() -> None:
    ranks = [list(RankBatches(steps=3, accumulation=2, world=2, rank=rank, batch=2)) for rank in range(2)]
    assert len(ranks[0]) == 6
    step_two = [index for rank in ranks for micro in rank[2:4] for index in micro]
    assert sorted(step_two) == list(range(8, 16))

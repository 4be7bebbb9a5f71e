"""Splits repeat, shares hold as well as the data allows."""

from __future__ import annotations

import numpy as np
import pytest

from cdr_trainer.mixture import Part, choose, quotas, split


def part(tokens: list[int], share: float, max_epochs: int | None = 1) -> Part:
    return Part(np.arange(len(tokens)), np.array(tokens), share, max_epochs)


def test_split_is_seeded_and_complete() -> None:
    train, val = split(100, 0.1, seed=3, source=0)
    assert len(val) == 10 and sorted([*train, *val]) == list(range(100))
    assert split(100, 0.1, 3, 0)[1].tolist() == val.tolist()
    assert split(100, 0.1, 4, 0)[1].tolist() != val.tolist()


def test_a_single_source_is_taken_whole() -> None:
    assert quotas([part([10, 20], 1.0)]) == [30]


def test_limited_sources_bound_the_mix() -> None:
    assert quotas([part([100], 0.5), part([400], 0.5)]) == [100, 100]


def test_an_unlimited_source_is_repeated() -> None:
    mix = [part([100], 0.5, None), part([400], 0.5)]
    assert quotas(mix) == [400, 400]
    assert choose(mix[0], 400, 1, 0, True).tolist() == [0, 0, 0, 0]


def test_partial_passes_come_close() -> None:
    one = part([10] * 20, 1.0)
    taken = choose(one, 74, 1, 0, True)
    assert len(taken) == 7 and len(set(taken.tolist())) == 7


def test_nothing_is_taken_of_share_zero() -> None:
    assert quotas([part([100], 1.0), part([50], 0.0)])[1] == pytest.approx(0)
    assert len(choose(part([50], 0.0), 0, 1, 1, True)) == 0

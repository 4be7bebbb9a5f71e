"""The learning rate's shares, at their corners."""

from __future__ import annotations

import math

import pytest

from cdr_trainer.config import Config
from cdr_trainer.schedule import share


def plan(name: str, warmup: int = 10, final: float = 0.1, cooldown: int = 0) -> Config:
    return Config(name=name, warmup_steps=warmup, final_ratio=final, cooldown_steps=cooldown)


@pytest.mark.parametrize("name", ["cosine", "linear", "constant", "wsd"])
def test_warm_up_is_linear_and_reaches_the_peak(name: str) -> None:
    shares = [share(step, 100, plan(name, cooldown=20)) for step in range(10)]
    assert shares == pytest.approx([(step + 1) / 10 for step in range(10)])


@pytest.mark.parametrize("name", ["cosine", "linear", "wsd"])
def test_the_last_update_has_the_final_ratio(name: str) -> None:
    assert share(99, 100, plan(name, cooldown=20)) == pytest.approx(0.1)


def test_shapes_in_the_middle() -> None:
    assert share(54, 100, plan("cosine")) == pytest.approx(0.1 + 0.9 * (1 + math.cos(math.pi / 2)) / 2)
    assert share(54, 100, plan("linear")) == pytest.approx(0.55)
    assert share(99, 100, plan("constant")) == 1
    assert share(79, 100, plan("wsd", cooldown=20)) == 1
    assert share(89, 100, plan("wsd", cooldown=20)) == pytest.approx(0.55)


def test_no_warm_up_and_no_decay() -> None:
    assert share(0, 1, plan("cosine", warmup=0)) == pytest.approx(0.1)
    assert share(0, 5, plan("constant", warmup=0)) == 1
    assert share(0, 5, plan("wsd", warmup=0, cooldown=0)) == 1

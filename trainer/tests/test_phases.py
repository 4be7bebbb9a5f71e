"""Where the seconds of a step go."""

from __future__ import annotations

import time

import torch

from cdr_trainer.held import held, peak_resident, resident
from cdr_trainer.phases import PAUSED, Phases


def test_phases_share_the_time_out() -> None:
    phases = Phases()
    with phases.phase("backward"):
        time.sleep(0.02)
        with phases.phase("forward"):
            time.sleep(0.05)
        phases.within("optimizer", time.sleep)(0.03)
    taken = phases.take(steps=2)["phases"]
    assert 0.025 <= taken["forward"] < 0.05
    assert 0.01 <= taken["backward"] < 0.025
    assert 0.015 <= taken["optimizer"] < 0.04
    assert phases.take(1)["phases"]["forward"] == 0


def test_what_sleeps_does_not_compute() -> None:
    phases = Phases()
    with phases.phase("forward"):
        time.sleep(0.05)
    taken = phases.take(1)
    assert taken["phases"]["forward"] >= 0.05
    assert taken["computed"]["forward"] < 0.02


def test_what_runs_while_training_pauses_does_not_count() -> None:
    phases = Phases()
    with phases.phase(PAUSED), phases.phase("forward"):
        time.sleep(0.03)
    assert sum(phases.take(1)["phases"].values()) < 0.02


def test_many_marks_are_folded() -> None:
    phases = Phases()
    for _ in range(5000):
        with phases.phase("forward"):
            pass
    assert len(phases._marks) < 5000
    assert phases.take(1)["phases"]["forward"] > 0


def test_bytes_are_those_of_the_tensors() -> None:
    model = torch.nn.Linear(100, 50)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.zeros(1, 100)).sum().backward()
    optimizer.step()
    found = held(model, optimizer, runtime=7)
    assert found["runtime"] == 7
    assert found["weights"] == 4 * 5050
    assert found["optimizer"] == 2 * 4 * 5050 + 2 * 4  # two moments, and two counters of steps
    # The kernel counts the peak now and then only.
    assert 0 < resident() < 1.1 * peak_resident()

"""Ranks that share a sequence train as one that reads it whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from helpers import Bench, deepspeed_config, model_config, train_config

from cdr_trainer.ulysses import Slices

STEPS = 4


def test_slices_are_the_sample_and_know_their_positions() -> None:
    samples = [np.arange(13), np.arange(13) + 100]
    parts = [Slices(rank, 3)(samples) for rank in range(3, 6)]
    joined = {name: torch.cat([part[name] for part in parts], dim=1) for name in parts[0]}
    assert joined["input_ids"].tolist() == [list(range(12)), list(range(100, 112))]
    assert joined["labels"].tolist() == [list(range(1, 13)), list(range(101, 113))]
    assert joined["position_ids"].tolist() == [list(range(12))] * 2
    assert {tuple(part["labels"].shape) for part in parts} == {(2, 4)}


def shared(world: int, ranks: int, engine: str = "deepspeed", steps: int = STEPS, **changes: Any) -> dict[str, Any]:
    """Four heads share one key-value head. A step has as many samples, however many ranks there are."""
    config = train_config(world, steps, engine, **changes)
    values = {"attention_dropout": 0.0, "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 8}
    replicas = world // ranks
    config["model"] = model_config(values=values, parameters=34_464)
    config["batch"] |= {"micro_batch": 2 // replicas, "global_batch": 4}
    return config | ({} if ranks == 1 else {"context_parallel": ranks})


@pytest.fixture(scope="module")
def whole(bench: Bench) -> list[dict[str, Any]]:
    result = bench.run("train", shared(1, 1, "torch"), "sequence-whole")
    assert result.code == 0, result.stderr
    return result.metrics()


@pytest.mark.slow
@pytest.mark.parametrize(("world", "ranks", "stage"), [(2, 2, 1), (4, 2, 2)])
def test_losses_and_gradients_are_those_of_a_lone_rank(
    bench: Bench, whole: list[dict[str, Any]], world: int, ranks: int, stage: int
) -> None:
    config = shared(world, ranks)
    result = bench.run(
        "train", config, f"sequence-{world}-{ranks}-{stage}", deepspeed=deepspeed_config(config, stage)
    )
    assert result.code == 0, result.stderr
    for name in ("loss", "grad_norm"):
        pairs = [[line[name] for line in lines if "loss" in line] for lines in (whole, result.metrics())]
        assert len(pairs[0]) == STEPS
        assert pairs[1] == pytest.approx(pairs[0], rel=1e-3), name


@pytest.mark.slow
def test_weights_in_shards_have_the_same_mean_of_gradients(bench: Bench) -> None:
    """Stage 3 starts from other weights than a lone rank, so it is held against stage 3 with whole sequences."""
    runs = []
    for ranks in (1, 2):
        config = shared(2, ranks, steps=2, eval={"every_steps": 2, "batches": None})
        name = f"sequence-sharded-{ranks}"
        runs.append(bench.run("train", config, name, deepspeed=deepspeed_config(config, 3)))
        assert runs[-1].code == 0, runs[-1].stderr
    for name in ("loss", "grad_norm", "val_loss"):
        one, two = ([line[name] for line in run.metrics() if name in line] for run in runs)
        assert one and two == pytest.approx(one, rel=1e-3), name


@pytest.mark.slow
def test_a_run_goes_on_exactly_and_not_with_other_ranks(bench: Bench) -> None:
    schedule = {"name": "constant", "warmup_steps": 2, "final_ratio": 1.0, "cooldown_steps": 0}
    config = shared(2, 2, schedule=schedule)
    options = {"deepspeed": deepspeed_config(config, 2)}
    unbroken = bench.run("train", config, "sequence-unbroken", **options)
    half = bench.run("train", shared(2, 2, steps=2, schedule=schedule), "sequence-halves", **options)
    assert [unbroken.code, half.code] == [0, 0], half.stderr

    other = shared(2, 1, schedule=schedule)
    refused = bench.resume(other, "sequence-halves", 1, deepspeed=deepspeed_config(other, 2))
    assert refused.code == 65
    assert "ranks that share a sequence 2 then, None now" in refused.stderr

    resumed = bench.resume(config, "sequence-halves", 2, **options)
    assert resumed.code == 0, resumed.stderr
    assert resumed.weights() == unbroken.weights()

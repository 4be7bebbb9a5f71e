"""Other ranks, and another stage of ZeRO, go on where a DeepSpeed run left off."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest
from helpers import Bench, Result, deepspeed_config, model_config, train_config

pytestmark = pytest.mark.slow

STEPS, HALF = 6, "step-00000003"
Run = Callable[[int, int], Result]


def shared(world: int, micro: int, accumulation: int, **changes: Any) -> dict[str, Any]:
    """Twelve samples a step, however many ranks read them; nothing is random."""
    constant = {"name": "constant", "warmup_steps": 2, "final_ratio": 1.0, "cooldown_steps": 0}
    config = train_config(world, STEPS, "deepspeed", schedule=constant, eval=None, **changes)
    config["model"] = model_config(values={"attention_dropout": 0.0})
    config["batch"] |= {"micro_batch": micro, "accumulation": accumulation, "global_batch": 12}
    return config


def engine(config: dict[str, Any], stage: int, asked: bool = True) -> dict[str, Any]:
    return deepspeed_config(config, stage) | ({"checkpoint": {"load_universal": True}} if asked else {})


@pytest.fixture(scope="module")
def whole(bench: Bench) -> Run:
    """A run that goes through, by its ranks and stage; its checkpoint of half the way is what others take up."""
    known: dict[tuple[int, int], Result] = {}

    def get(world: int, stage: int) -> Result:
        if (world, stage) not in known:
            config = shared(world, 2, 6 // world)
            known[world, stage] = bench.run(
                "train", config, f"universal-{world}-{stage}", deepspeed=engine(config, stage)
            )
            assert known[world, stage].code == 0, known[world, stage].stderr
        return known[world, stage]

    return get


def agree(resumed: Result, through: Result) -> None:
    """Moments, counts or decay that were lost would show in the third step after."""
    assert resumed.code == 0, resumed.stderr
    for key in ("loss", "grad_norm"):
        gone_on, known = ([line[key] for line in one.metrics() if line["step"] > 3] for one in (resumed, through))
        assert len(gone_on) == 3 and gone_on == pytest.approx(known, rel=1e-4), key


def own(bench: Bench, through: Result, name: str) -> None:
    """A run that was stopped half the way."""
    shutil.copytree(through.run_dir / "checkpoints" / HALF, bench.run_dir(name) / "checkpoints" / HALF)


def test_a_run_goes_on_with_other_ranks(bench: Bench, whole: Run) -> None:
    through, name = whole(2, 2), "universal-own"
    own(bench, through, name)
    config = shared(3, 4, 1)
    refused = bench.run("train", config, name, deepspeed=engine(config, 1, False))
    assert refused.code == 65 and "processes 2 then, 3 now" in refused.stderr
    assert "checkpoint.load_universal" in refused.stderr
    agree(bench.resume(config, name, 1, deepspeed=engine(config, 1)), through)


@pytest.mark.parametrize(("stage", "ranks"), [(2, 1), (3, 3)])
def test_a_step_takes_up_the_states_of_another(bench: Bench, whole: Run, stage: int, ranks: int) -> None:
    through = whole(2, stage)
    config = shared(ranks, 4, 3 // ranks, from_input=True)
    inputs = {"data": bench.data, "from": through.run_dir / "checkpoints" / HALF}
    name = f"universal-from-{stage}-{ranks}"
    agree(bench.run("train", config, name, inputs=inputs, deepspeed=engine(config, stage)), through)


def test_what_cannot_be_taken_up_is_said(bench: Bench, whole: Run) -> None:
    through, name = whole(2, 2), "universal-refused"
    own(bench, through, name)
    config = shared(1, 4, 3)
    sharded = bench.run("train", config, name, deepspeed=engine(config, 3))
    assert sharded.code == 65 and "the stage was 2 then, and is 3 now" in sharded.stderr
    config["batch"] |= {"accumulation": 2, "global_batch": 8}
    smaller = bench.run("train", config, name, attempt=1, deepspeed=engine(config, 2))
    assert smaller.code == 65 and "12 samples of 32 tokens, and these are 8 of 32" in smaller.stderr

"""A run that is killed and resumed ends with the bits of one that was not."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import Bench, Result, deepspeed_config, kill, rank_pid, train_config, wait_for_step

from cdr_trainer import checkpoints

pytestmark = pytest.mark.slow

STEPS = 24
# More kills per engine than one take minutes: `CDR_KILLS=20 pytest -k killed`.
KILLS = int(os.environ.get("CDR_KILLS", "1"))


def engine(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Configuration and options of a run with two processes."""
    if name == "torch":
        return train_config(2, STEPS), {}
    if name.startswith("fsdp"):
        return train_config(2, STEPS, sharding={"stage": int(name[-1]), "over": 2}), {}
    if name == "hsdp":
        return train_config(4, STEPS, sharding={"stage": 3, "over": 2}), {}
    config = train_config(2, STEPS, "deepspeed")
    return config, {"deepspeed": deepspeed_config(config, int(name[-1]))}


@pytest.fixture(scope="module")
def unbroken(bench: Bench) -> Any:
    known: dict[str, Result] = {}

    def get(name: str) -> Result:
        if name not in known:
            config, options = engine(name)
            known[name] = bench.run("train", config, f"{name}-whole", **options)
            assert known[name].code == 0, known[name].stderr
        return known[name]

    return get


@pytest.mark.parametrize("name", ["torch", "zero2", "zero3", "fsdp2", "fsdp3", "hsdp"])
@pytest.mark.parametrize("number", range(KILLS))
def test_killed_at_a_random_instant(bench: Bench, unbroken: Any, name: str, number: int) -> None:
    config, options = engine(name)
    whole = unbroken(name)
    chance = random.Random(f"{name} {number}")
    run = f"{name}-killed-{number}"
    run_dir = bench.run_dir(run)

    agent = bench.start("train", config, run, **options)
    wait_for_step(agent, run_dir, chance.randrange(1, STEPS))
    time.sleep(chance.random() * 0.1)
    victim = chance.choice(["agent", "rank 0", "rank 1"])
    kill(agent.pid if victim == "agent" else rank_pid(run_dir, 0, int(victim[-1])))
    broken = bench.finish(agent, run)
    failures = broken.events("failure")
    if victim != "agent" and broken.code:
        assert failures[0]["rank"] == int(victim[-1]) and failures[0]["code"] == -9

    resumed = bench.resume(config, run, 1, **options)
    assert resumed.code == 0, resumed.stderr
    assert resumed.weights() == whole.weights(), f"{victim} was killed"
    last = [[line["loss"] for line in one.metrics() if "loss" in line][-1] for one in (whole, resumed)]
    assert last[0] == last[1]


@pytest.mark.parametrize("name", ["fsdp2", "fsdp3"])
def test_sharding_leaves_the_sums_as_they_are(unbroken: Any, name: str) -> None:
    losses = [[line["loss"] for line in unbroken(one).metrics() if "loss" in line] for one in ("torch", name)]
    assert len(losses[0]) == STEPS
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)


def test_stop_over_several_epochs_and_damaged_checkpoint(bench: Bench, tmp_path: Path) -> None:
    """One process; epochs of a few steps; the stop comes at any step, and then the newest checkpoint is damaged."""
    data = small_data(bench)
    config = train_config(1, 30)
    whole = bench.run("train", config, "epochs-whole", inputs={"data": data})
    assert whole.code == 0, whole.stderr
    assert whole.metrics()[-2]["epoch"] > 2

    agent = bench.start("train", config, "epochs", inputs={"data": data})
    run_dir = bench.run_dir("epochs")
    wait_for_step(agent, run_dir, 8)
    (run_dir / "control" / "stop").touch()
    stopped = bench.finish(agent, "epochs")
    assert stopped.code == 80, stopped.stderr
    newest, before = checkpoints.present(run_dir)[:2]
    data_file = newest / "optimizer.pt"
    content = bytearray(data_file.read_bytes())
    content[len(content) // 2] ^= 1
    data_file.write_bytes(content)

    resumed = bench.resume(config, "epochs", 1, inputs={"data": data})
    assert resumed.code == 0, resumed.stderr
    rejected = resumed.events("rejected_checkpoint")
    assert rejected[0]["path"].endswith(newest.name) and "optimizer.pt" in rejected[0]["reason"]
    first = next(line for line in resumed.metrics() if line["attempt"] == 1)
    assert first["step"] == int(before.name[5:]) + 1
    assert resumed.weights() == whole.weights()


def small_data(bench: Bench) -> Path:
    from helpers import prepare_config

    config = prepare_config([{"kind": "python_stdlib", "part": "docs"}], limit_files=4)
    assert bench.run("prepare", config, "small-data").code == 0
    return bench.run_dir("small-data")

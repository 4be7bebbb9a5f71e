"""DeepSpeed's monitors write what the trainer logs."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

import pytest
from helpers import Bench, deepspeed_config, train_config

from cdr_trainer.monitors import within

HAS_TENSORBOARD = importlib.util.find_spec("tensorboard") is not None


def test_relative_places_are_in_the_run() -> None:
    engine = {
        "csv_monitor": {"enabled": True},
        "tensorboard": {"enabled": True, "output_path": "/logs"},
        "wandb": {"enabled": True, "project": "p"},
    }
    within(engine, Path("/runs/a"))
    assert engine["csv_monitor"]["output_path"] == "/runs/a/csv"
    assert engine["tensorboard"]["output_path"] == "/logs"
    assert engine["wandb"] == {"enabled": True, "project": "p"}


@pytest.mark.slow
def test_they_write_the_losses(bench: Bench) -> None:
    config = train_config(1, 4, "deepspeed", eval=None)
    monitors = {"csv_monitor": {"enabled": True, "job_name": "a"}, "steps_per_print": 1}
    if HAS_TENSORBOARD:
        monitors["tensorboard"] = {"enabled": True, "output_path": "boards", "job_name": "b"}
    result = bench.run("train", config, "monitored", deepspeed=deepspeed_config(config, 1) | monitors)
    assert result.code == 0, result.stderr
    (path,) = (result.run_dir / "csv" / "a").glob("*train_loss.csv")
    rows = list(csv.reader(path.open()))[1:]
    losses = [line["loss"] for line in result.metrics() if "loss" in line]
    assert len(rows) == len(losses) == 4
    assert [float(row[1]) for row in rows] == pytest.approx(losses)
    assert not HAS_TENSORBOARD or any((result.run_dir / "boards" / "b").glob("events*"))


def test_a_monitor_without_its_package_is_told_before_the_start(bench: Bench) -> None:
    if importlib.util.find_spec("comet_ml") is not None:
        pytest.skip("comet_ml is installed")
    config = train_config(1, 4, "deepspeed", eval=None)
    monitors = {"comet": {"enabled": True}}
    agent = bench.start("train", config, "unmonitored", deepspeed=deepspeed_config(config, 1) | monitors)
    result = bench.finish(agent, "unmonitored")
    assert result.code == 69 and "comet_ml" in result.stderr

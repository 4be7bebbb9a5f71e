"""The node agent: its lock, its signals, and that it leaves nothing behind."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import Bench, kill, prepare_config, train_config

from cdr_trainer import lock
from cdr_trainer.errors import UserError
from cdr_trainer.processes import descendants


def test_the_lock_names_its_holder(tmp_path: Path) -> None:
    held = lock.take(tmp_path, 0, 3)
    with pytest.raises(
        UserError, match=rf"in use by a live run \(process {os.getpid()} on .*, attempt 3\)"
    ) as caught:
        lock.take(tmp_path, 0, 4)
    assert caught.value.code == 75
    os.close(held)
    os.close(lock.take(tmp_path, 0, 4))


def test_a_busy_run_directory_is_left_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run_dir("busy").mkdir(parents=True)
    held = lock.take(bench.run_dir("busy"), 0, 0)
    result = bench.run("prepare", prepare_config([{"kind": "python_stdlib", "part": "docs"}]), "busy")
    assert result.code == 75 and "in use by a live run" in result.stderr
    assert [path.name for path in result.run_dir.iterdir()] == ["lock"]
    os.close(held)


@pytest.mark.slow
def test_a_killed_agent_leaves_no_process(bench: Bench) -> None:
    agent = bench.start("train", train_config(2, steps=100_000), "orphans")
    until = time.monotonic() + 60
    while len(descendants(agent.pid)) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    below = descendants(agent.pid)
    assert len(below) >= 3
    kill(agent.pid)
    agent.wait()
    while any(alive(pid) for pid in below) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(alive(pid) for pid in below)
    handle = os.open(bench.run_dir("orphans") / "lock", os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(handle)


def alive(pid: int) -> bool:
    """A zombie, which nobody reaps in some containers, does not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_term_saves_and_int_does_not(bench: Bench) -> None:
    config = train_config(
        1, steps=100_000, checkpoint={"every_steps": None, "every_seconds": 1, "keep_last": 1, "keep_best": None}
    )
    agent = bench.start("train", config, "terminated")
    while not bench.run_dir("terminated").joinpath("metrics.jsonl").exists():
        time.sleep(0.05)
    agent.send_signal(signal.SIGTERM)
    result = bench.finish(agent, "terminated")
    assert result.code == 80, result.stderr
    assert result.events("state")[-2]["state"] == "saving"
    agent = bench.start("train", config, "terminated", attempt=1)
    while not (lines := result.metrics()) or lines[-1]["attempt"] == 0:
        time.sleep(0.05)
    agent.send_signal(signal.SIGINT)
    result = bench.finish(agent, "terminated")
    assert result.code == 128 + signal.SIGINT
    assert result.events("state")[-1]["state"] == "cancelled"


@pytest.mark.slow
def test_term_to_every_process_saves(bench: Bench) -> None:
    """As a scheduler ends a job: to the agent, torchrun and the ranks alike."""
    never = {"every_steps": None, "every_seconds": None, "keep_last": 1, "keep_best": None}
    agent = bench.start("train", train_config(2, steps=100_000, checkpoint=never), "everybody")
    while not bench.run_dir("everybody").joinpath("metrics.jsonl").exists():
        time.sleep(0.05)
    for pid in [*descendants(agent.pid), agent.pid]:
        os.kill(pid, signal.SIGTERM)
    result = bench.finish(agent, "everybody")
    assert result.code == 80, result.stderr
    (saved,) = (result.run_dir / "checkpoints").iterdir()
    modes = {path.name: path.stat().st_mode & 0o777 for path in saved.iterdir()}
    umask = os.umask(0o022)
    os.umask(umask)
    assert set(modes.values()) == {0o666 & ~umask}, modes


def test_it_starts_without_torch() -> None:
    code = "import sys, cdr_trainer.node; print({'torch', 'numpy', 'transformers'} & set(sys.modules))"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent
    )
    assert out.stdout.strip() == "set()"

"""Which of many failures was the cause, and a disk without room to say it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import arguments, as_config, train_config

from cdr_trainer import failure, layout, lock, node, reserve
from cdr_trainer.files import write_json


def records(tmp_path: Path, *entries: dict) -> failure.Failure:
    given = arguments(tmp_path, "--procs", str(len(entries)))
    for entry in entries:
        write_json(layout.rank_record(tmp_path, 0, entry["rank"]), entry)
    return failure.find(given, 1, 0)


def test_the_first_failure_is_the_cause_not_its_echo(tmp_path: Path) -> None:
    echo = {
        "rank": 0,
        "code": 1,
        "time": 1.0,
        "type": "RuntimeError",
        "message": "[gloo] Connection closed by peer [x]",
    }
    cause = {"rank": 1, "code": 1, "time": 2.0, "type": "ValueError", "message": "bad batch\nmore"}
    found = records(tmp_path, echo, cause)
    assert (found.rank, found.cause) == (1, "ValueError: bad batch")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("CUDA out of memory. Tried to allocate", "the GPU ran out of memory"),
        ("[Errno 28] No space left on device", "the disk is full"),
    ],
)
def test_known_causes(tmp_path: Path, message: str, said: str) -> None:
    found = records(tmp_path, {"rank": 0, "code": 1, "time": 1.0, "type": "RuntimeError", "message": message})
    assert found.cause.startswith(said)


def test_on_a_full_disk_an_agent_says_so_in_the_space_that_it_kept(tmp_path: Path) -> None:
    given = arguments(tmp_path)
    (tmp_path / "control").mkdir()
    before = set(tmp_path.rglob("*"))
    reserve.keep(given)
    kept = [path for path in tmp_path.rglob("*") if path not in before]
    assert sum(path.stat().st_blocks * 512 for path in kept) >= reserve.SIZE
    reserve.give_back(given)
    assert set(tmp_path.rglob("*")) == before
    reserve.give_back(given)
    (tmp_path / "control").rmdir()
    reserve.keep(given)  # where nothing can be kept, the run goes on without


@pytest.mark.parametrize(("free", "code"), [(0, 73), (10**9, 1)])
def test_a_launcher_that_fails_without_a_word_failed_of_the_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, code: int
) -> None:
    monkeypatch.setattr(node, "command", lambda *_: [sys.executable, "-c", "raise SystemExit(1)"])
    monkeypatch.setattr(node, "adopt_orphans", lambda: None)
    monkeypatch.setattr(reserve.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    agent = node.Node(arguments(tmp_path))
    for folder in ("control", "exit", "logs/a0"):
        (tmp_path / folder).mkdir(parents=True)
    held = lock.take(tmp_path, 0, 0)
    assert agent._supervise(as_config(train_config(1)), held) == code
    summary = json.loads((tmp_path / "exit" / "a0.json").read_text())
    assert summary["code"] == code
    assert ("no space is left" in summary["reason"]) == (code == 73)
    os.close(held)

"""The node agent: its lock, its checks, its exit codes, and that it leaves nothing behind."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import Bench, kill, prepare_config, train_config

from cdr_trainer import failure, lock, node, preflight, reserve
from cdr_trainer.arguments import NodeArguments, parse_node
from cdr_trainer.config import Config
from cdr_trainer.errors import UserError
from cdr_trainer.processes import descendants


def arguments(tmp_path: Path, *more: str) -> NodeArguments:
    words = ["--bundle", str(tmp_path), "--program", "train", "--config", "c.json", "--run-dir", str(tmp_path), *more]
    return parse_node(words)


def as_config(value: object) -> Config:
    return json.loads(json.dumps(value), object_hook=lambda fields: Config(**fields))


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


def test_every_lack_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = train_config(2, precision="fp16", attention="flash_attention_2", track=["nonesuch"])
    config["model"]["parameters"] = 10**15
    given = arguments(tmp_path, "--procs", "2", "--input", f"data={tmp_path / 'none'}")
    text = "; ".join(lack.message for lack in preflight.check(given, as_config(config), 0, [tmp_path / "none"]))
    for said in (
        "flash_attn, nonesuch",
        "input `data` is missing",
        "fp16 needs a GPU",
        "flash_attention_2 needs a GPU",
    ):
        assert said in text
    config["track"], config["attention"] = [], "sdpa"
    (lack,) = preflight._space(given, as_config(config))
    assert lack.code == 73 and "TiB" in lack.message


def test_versions_that_rules_asked_for(tmp_path: Path) -> None:
    def said(package: str, least: str) -> list[str]:
        need = {"package": package, "at_least": least, "because": "FP4 is asked for"}
        config = as_config({"python": sys.executable, "needs": [need]})
        return [lack.message for lack in preflight._needs(config)]

    assert said("pytest", "1.0") == []
    (older,) = said("pytest", "999.1")
    assert "needs 999.1 or newer: FP4 is asked for" in older
    (missing,) = said("no-such-package", "1.0")
    assert "has no no-such-package" in missing
    assert preflight._parts("2.10.0+cu12") > preflight._parts("2.9")


def test_packages_at_any_version_and_by_their_module() -> None:
    def said(package: str, module: str) -> list[str]:
        need = {"package": package, "module": module, "at_least": None, "because": "the pattern has Mamba layers"}
        return [lack.message for lack in preflight._needs(as_config({"python": sys.executable, "needs": [need]}))]

    assert said("no-such-package", "json") == []
    (missing,) = said("no-such-package", "no_such_module")
    assert missing.endswith("has no no-such-package, which this step needs: the pattern has Mamba layers")


def test_files_that_arguments_name(tmp_path: Path) -> None:
    there = tmp_path / "layers.json"
    there.write_text("{}")
    needs = [{"path": str(path), "because": "--data-args-path"} for path in (there, tmp_path / "none")]
    (lack,) = preflight._files(as_config({"files": needs}))
    assert "none on this node, which --data-args-path names" in lack.message


@pytest.mark.parametrize(("oldest", "wanted"), [(7.0, 1), (8.0, 0), (None, 0)])
def test_gpus_older_than_what_a_step_needs(
    monkeypatch: pytest.MonkeyPatch, oldest: float | None, wanted: int
) -> None:
    monkeypatch.setattr(preflight, "_oldest_gpu", lambda: oldest)
    assert len(preflight._capability(as_config({"precision": "bf16"}), 1)) == wanted
    need = {"device": {"capability": 8.0, "because": "grouped products"}}
    assert len(preflight._capability(as_config(need), 1)) == wanted
    assert preflight._capability(as_config({"precision": "fp16"}), 1) == []
    assert preflight._capability(as_config(need), 0) == []


@pytest.mark.parametrize(("megabytes", "gpus", "wanted"), [(64, 8, 1), (64, 1, 0), (1024, 8, 0)])
def test_shared_memory_of_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, megabytes: int, gpus: int, wanted: int
) -> None:
    monkeypatch.setattr(preflight.os.path, "isdir", lambda path: True)
    monkeypatch.setattr(preflight.shutil, "disk_usage", lambda path: SimpleNamespace(total=megabytes << 20))
    given = arguments(tmp_path, "--procs", "8")
    assert len(preflight._shared_memory(given, gpus)) == wanted


def test_a_disk_for_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = arguments(tmp_path, "--procs", "2")
    parts = {"offload_optimizer": {"device": "nvme", "nvme_path": str(tmp_path / "none")}}
    (given.config.parent / "ds.json").write_text(json.dumps({"zero_optimization": parts}))
    monkeypatch.setattr(preflight.ctypes.util, "find_library", lambda name: None)
    said = [lack.message for lack in preflight._nvme(given, as_config({"deepspeed": "ds.json"}))]
    assert len(said) == 2 and "cannot write there" in said[0] and "no libaio" in said[1]
    assert preflight._nvme(given, as_config({"deepspeed": None})) == []


def test_a_taken_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        given = arguments(tmp_path, "--nodes", "2", "--endpoint", f"127.0.0.1:{taken.getsockname()[1]}")
        assert "is taken" in preflight._port(given)[0].message


def test_preflight_failure_has_its_exit_code(bench: Bench) -> None:
    config = train_config(1, precision="fp16")
    result = bench.finish(bench.start("train", config, "no-gpu", {"CUDA_VISIBLE_DEVICES": ""}), "no-gpu")
    assert result.code == 69 and "fp16 needs a GPU" in result.stderr
    summary = json.loads((result.run_dir / "exit" / "a0.json").read_text())
    assert (summary["code"], summary["state"]) == (69, "failed")
    assert [event["state"] for event in result.events("state")] == ["starting", "preflight", "failed"]


def test_another_number_of_processes_is_refused(bench: Bench) -> None:
    config = train_config(1)
    config["world"] = 3
    agent = bench.start("train", {**config, "world": 1}, "wrong-world")
    agent.kill()
    agent.wait()
    path = bench.root / "bundle" / "wrong-world" / "config.json"
    path.write_text(json.dumps(config))
    given = parse_node(
        [
            "--bundle",
            str(path.parent),
            "--program",
            "train",
            "--config",
            path.name,
            "--run-dir",
            str(bench.root / "w"),
        ]
    )
    from cdr_trainer.node import Node

    with pytest.raises(UserError, match="compiled for 3 processes and 1 x 1 were started"):
        (bench.root / "w").mkdir()
        Node(given)._check()


DATA_ERRORS = [
    ({"patterns": ["nowhere/*.txt"]}, {}, "no file matches `nowhere/*.txt`"),
    ({"patterns": ["docs/*.png"]}, {}, "has no text: 1 of its 1 files are binary"),
    ({"patterns": ["rows.jsonl"]}, {}, "no key `text`; it has `body`"),
    ({"patterns": ["docs/one.md"]}, {"sequence": 1024}, "one sequence of 1024 needs 1,025"),
    ({"patterns": ["rows.jsonl"], "column": "body"}, {"split": {"val": 0.01, "seed": 1}}, "the validation part"),
]


@pytest.mark.parametrize(("source", "changes", "said"), DATA_ERRORS)
def test_wrong_data(tmp_path: Path, project: Path, source: dict, changes: dict, said: str) -> None:
    bench = Bench(tmp_path / "bench")
    config = prepare_config([{"kind": "files", "column": "text", **source}], **changes)
    result = bench.run("prepare", config, "data", project=project)
    assert result.code == 65, result.stderr
    assert said in result.stderr and "Traceback" not in result.stderr
    left = {path.name for path in result.run_dir.iterdir()}
    assert left == {"control", "events.jsonl", "exit", "lock", "logs"}
    assert result.events("failure")[0]["cause"] in result.stderr


def test_prepared_data(tmp_path: Path, project: Path) -> None:
    bench = Bench(tmp_path / "bench")
    sources = [
        {"kind": "files", "column": "text", "patterns": ["docs"], "share": 0.5},
        {"kind": "files", "column": "body", "patterns": ["rows.jsonl"], "share": 0.5},
    ]
    result = bench.run("prepare", prepare_config(sources), "data", project=project)
    assert result.code == 0, result.stderr
    meta = json.loads((result.run_dir / "result" / "meta.json").read_text())
    size = (result.run_dir / "result" / "train.bin").stat().st_size
    assert meta["dtype"] == "uint16" and size == 2 * meta["counts"]["train_tokens"]
    assert meta["counts"]["documents"] == 33
    assert "1 files that are not text" in result.events("warning")[0]["message"]
    again = bench.run("prepare", prepare_config(sources), "data-2", project=project)
    assert json.loads((again.run_dir / "result" / "meta.json").read_text())["fingerprint"] == meta["fingerprint"]


def test_one_document_is_split_by_tokens(tmp_path: Path, project: Path) -> None:
    bench = Bench(tmp_path / "bench")
    config = prepare_config([{"kind": "files", "column": "text", "patterns": ["docs/one.md"]}], sequence=16)
    result = bench.run("prepare", config, "data", project=project)
    counts = json.loads((result.run_dir / "result" / "meta.json").read_text())["counts"]
    assert counts["val_tokens"] == round(0.1 * counts["tokens"])
    assert counts["train_tokens"] + counts["val_tokens"] == counts["tokens"]


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


def records(tmp_path: Path, *entries: dict) -> failure.Failure:
    from cdr_trainer import layout
    from cdr_trainer.files import write_json

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


def test_it_starts_without_torch() -> None:
    code = "import sys, cdr_trainer.node; print({'torch', 'numpy', 'transformers'} & set(sys.modules))"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent
    )
    assert out.stdout.strip() == "set()"


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

"""What the node agent finds missing before anything starts, and the exit codes that say so."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import Bench, arguments, as_config, train_config

from cdr_trainer import node, preflight
from cdr_trainer.arguments import parse_node
from cdr_trainer.errors import UserError


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


def test_the_interpreter_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    need = {"package": "pytest", "at_least": "1.0", "because": "FP4 is asked for"}
    config = as_config({"python": "no-such-python", "needs": [need]})
    monkeypatch.delenv("MEGATRON_PYTHON", raising=False)
    (lack,) = preflight._needs(config)
    assert lack.message.startswith("no-such-python has no pytest")
    monkeypatch.setenv("MEGATRON_PYTHON", sys.executable)
    assert preflight._needs(config) == []


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
    (lack,) = preflight._files(as_config({"files": needs}), tmp_path)
    assert "none on this node, which --data-args-path asks for" in lack.message


def test_a_checkpoint_to_begin_with_is_asked_for_until_there_is_one_of_its_own(tmp_path: Path) -> None:
    tracker = "latest_checkpointed_iteration.txt"
    need = {
        "path": str(tmp_path / "pretrained" / tracker),
        "because": "--pretrained-checkpoint",
        "unless": f"checkpoints/{tracker}",
    }
    config = as_config({"files": [need]})
    (lack,) = preflight._files(config, tmp_path)
    assert lack.message.endswith("which --pretrained-checkpoint asks for")
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / tracker).write_text("10")
    assert preflight._files(config, tmp_path) == []


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
    with pytest.raises(UserError, match="compiled for 3 processes and 1 x 1 were started"):
        (bench.root / "w").mkdir()
        node.Node(given)._check()

"""Configurations as the compiler writes them, small enough for a test, and a way to run them."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import warm

from cdr_trainer.arguments import NodeArguments, parse_node
from cdr_trainer.config import Config

# Programs that import torch.
LEARNED = ("train", "evaluate", "generate", "measure")


def prepare_config(sources: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    rows = [{"name": f"s{n}", "share": 1 / len(sources), "max_epochs": 1, **one} for n, one in enumerate(sources)]
    return {
        "format": 1,
        "step": "data",
        "seed": 1,
        "sources": rows,
        "tokenizer": {"kind": "bytes", "specials": ["<|end|>"], "vocab": 264},
        "sequence": 32,
        "document_end": True,
        "split": {"val": 0.1, "seed": 3},
        "shuffle": True,
        "limit_files": None,
        **changes,
    }


def model_config(**changes: Any) -> dict[str, Any]:
    """A small Llama; `values` changes what its configuration says."""
    values = {
        "vocab_size": 264,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 64,
        "attention_dropout": 0.1,
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": False,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000},
        **changes.pop("values", {}),
    }
    return {
        "family": "llama",
        "build": {"model": "LlamaForCausalLM", "config": "LlamaConfig", "values": values},
        "shape": {},
        "vocab": values["vocab_size"],
        "context": 64,
        "tied": False,
        "parameters": 37_536,
        **changes,
    }


def train_config(world: int, steps: int = 24, engine: str = "torch", **changes: Any) -> dict[str, Any]:
    micro, accumulation, sequence = 2, 2, 32
    return {
        "format": 1,
        "step": "pretrain",
        "engine": engine,
        "deepspeed": "deepspeed.json" if engine == "deepspeed" else None,
        "seed": 7,
        "determinism": "default",
        "model": model_config(),
        "precision": "fp32",
        "attention": "sdpa",
        "recompute": "none",
        "compile": False,
        "world": world,
        "batch": {
            "micro_batch": micro,
            "accumulation": accumulation,
            "global_batch": micro * accumulation * world,
            "sequence": sequence,
        },
        "length": {"steps": steps, "tokens": steps * micro * accumulation * world * sequence},
        "optimizer": {"name": "adamw", "lr": 3e-3, "betas": [0.9, 0.95], "eps": 1e-8, "weight_decay": 0.1},
        "schedule": {"name": "cosine", "warmup_steps": 4, "final_ratio": 0.1, "cooldown_steps": 0},
        "clip": 1.0,
        "eval": {"every_steps": 10, "batches": 2},
        "log": {"every_steps": 1},
        "checkpoint": {"every_steps": 3, "every_seconds": None, "keep_last": 2, "keep_best": None},
        "resume": "exact",
        "from_input": False,
        "expectations": [],
        "track": ["console"],
        **changes,
    }


def deepspeed_config(config: dict[str, Any], stage: int) -> dict[str, Any]:
    batch = config["batch"]
    return {
        "train_micro_batch_size_per_gpu": batch["micro_batch"],
        "gradient_accumulation_steps": batch["accumulation"],
        "train_batch_size": batch["global_batch"],
        "gradient_clipping": config["clip"],
        "zero_optimization": {"stage": stage},
    }


@dataclass
class Result:
    code: int
    stderr: str
    run_dir: Path

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in read_lines(self.run_dir / "events.jsonl") if event["kind"] == kind]

    def metrics(self) -> list[dict[str, Any]]:
        return read_lines(self.run_dir / "metrics.jsonl")

    def weights(self) -> str:
        """SHA-256 of the newest checkpoint's weights."""
        newest = max((self.run_dir / "checkpoints").glob("step-*"))
        return hashlib.sha256((newest / "model.safetensors").read_bytes()).hexdigest()


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Bench:
    """A folder with a bundle and runs."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def data(self) -> Path:
        return self.root / "runs" / "data"

    def start(
        self,
        program: str,
        config: dict[str, Any],
        name: str,
        environment: dict[str, str] | None = None,
        **options: Any,
    ) -> subprocess.Popen[str]:
        """An agent of its own, to watch and to end."""
        words = [sys.executable, "-m", "cdr_trainer.node", *self._words(program, config, name, **options)]
        env = {**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})}
        env["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
        return subprocess.Popen(words, env=env, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def run(self, program: str, config: dict[str, Any], name: str, **options: Any) -> Result:
        if program not in LEARNED or not warm.is_possible():
            return self.finish(self.start(program, config, name, **options), name)
        words = self._words(program, config, name, **options)
        stderr = self.root / "bundle" / name / "stderr"
        return Result(warm.run(["node", *words], stderr), stderr.read_text(), self.run_dir(name))

    def _words(
        self,
        program: str,
        config: dict[str, Any],
        name: str,
        attempt: int = 0,
        inputs: dict[str, Path] | None = None,
        deepspeed: dict[str, Any] | None = None,
        project: Path | None = None,
    ) -> list[str]:
        bundle = self.root / "bundle" / name
        bundle.mkdir(parents=True, exist_ok=True)
        (bundle / "config.json").write_text(json.dumps(config))
        if deepspeed:
            (bundle / "deepspeed.json").write_text(json.dumps(deepspeed))
        if inputs is None:
            inputs = {"data": self.data} if program == "train" else {}
        words = ["--bundle", str(bundle), "--program", program, "--config", "config.json"]
        words += ["--run-dir", str(self.run_dir(name)), "--attempt", str(attempt)]
        words += ["--project", str(project or self.root), "--procs", str(config.get("world", 1))]
        for key, directory in inputs.items():
            words += ["--input", f"{key}={directory}"]
        return words

    def finish(self, agent: subprocess.Popen[str], name: str) -> Result:
        _, stderr = agent.communicate(timeout=300)
        return Result(agent.returncode, stderr, self.run_dir(name))

    def run_dir(self, name: str) -> Path:
        return self.root / "runs" / name

    def resume(self, config: dict[str, Any], name: str, attempt: int, **options: Any) -> Result:
        """Starts again as soon as the last process of the attempt before has let go of the lock."""
        deadline = time.monotonic() + 30
        while True:
            result = self.run("train", config, name, attempt=attempt, **options)
            if result.code != 75 or time.monotonic() > deadline:
                return result
            time.sleep(0.1)


def wait_for_step(agent: subprocess.Popen[str], run_dir: Path, step: int) -> None:
    """Until metrics of `step` are written, or the run has ended before."""
    while agent.poll() is None:
        lines = read_lines(run_dir / "metrics.jsonl")
        if lines and lines[-1]["step"] >= step:
            return
        time.sleep(0.01)


def rank_pid(run_dir: Path, attempt: int, rank: int) -> int:
    return int(json.loads((run_dir / "control" / f"a{attempt}" / f"rank-{rank}.json").read_text())["pid"])


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def arguments(tmp_path: Path, *more: str) -> NodeArguments:
    words = ["--bundle", str(tmp_path), "--program", "train", "--config", "c.json", "--run-dir", str(tmp_path), *more]
    return parse_node(words)


def as_config(value: object) -> Config:
    return json.loads(json.dumps(value), object_hook=lambda fields: Config(**fields))

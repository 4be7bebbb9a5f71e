"""Throughput of cdr's trainer beside a bare Hugging Face `Trainer` on the same model, data and batch.

    python bench/trainer_peer.py [--rounds 3] [--steps 120] [--work DIR]

Prepares data, then runs both in alternation, each in a process of its own, and prints JSON: tokens per second of every
run and the ratio of the medians. The rate is taken from step 20 to the last, so imports and warm-up do not count.
`--peer` is the bare script itself.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRAINER = Path(__file__).resolve().parent.parent / "trainer"
SKIPPED = 20
LLAMA = {
    "vocab_size": 264, "hidden_size": 128, "intermediate_size": 344, "num_hidden_layers": 4,
    "num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 256, "rms_norm_eps": 1e-5,
}  # fmt: skip
MODEL = {
    "family": "llama", "build": {"model": "LlamaForCausalLM", "config": "LlamaConfig", "values": LLAMA}, "shape": {},
    "vocab": 264, "context": 256, "tied": False, "parameters": 859264,
}  # fmt: skip
SEQUENCE, BATCH, LR = 256, 8, 1e-3
LOGGED_EVERY = 10


def peer(data: Path, steps: int) -> float:
    """The bare script: what a person writes with the library's documentation at hand."""
    import numpy as np
    import torch
    from transformers import (
        LlamaConfig,
        LlamaForCausalLM,
        Trainer,
        TrainerCallback,
        TrainingArguments,
    )

    class Windows(torch.utils.data.Dataset):
        def __init__(self) -> None:
            self.tokens = np.memmap(data / "train.bin", dtype="<u2", mode="r")

        def __len__(self) -> int:
            return (len(self.tokens) - 1) // SEQUENCE

        def __getitem__(self, index: int) -> dict:
            ids = torch.from_numpy(self.tokens[index * SEQUENCE : (index + 1) * SEQUENCE].astype(np.int64))
            return {"input_ids": ids, "labels": ids}

    class Clock(TrainerCallback):
        def on_step_end(self, args, state, control, **kwargs):
            if state.global_step == SKIPPED:
                self.began = time.perf_counter()
            if state.global_step == steps:
                self.seconds = time.perf_counter() - self.began

    model = LlamaForCausalLM(LlamaConfig(**LLAMA))
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder, max_steps=steps, per_device_train_batch_size=BATCH, learning_rate=LR,
            lr_scheduler_type="cosine", warmup_steps=10, logging_steps=LOGGED_EVERY, save_strategy="no",
            report_to="none", disable_tqdm=True, use_cpu=not torch.cuda.is_available(),
        )  # fmt: skip
        Trainer(model=model, args=arguments, train_dataset=Windows(), callbacks=[clock]).train()
    return (steps - SKIPPED) * BATCH * SEQUENCE / clock.seconds


def ours(work: Path, run: str, steps: int) -> float:
    """The same through the node agent, with metrics, events and a checkpoint at the end."""
    node(work, "train", train_config(steps), run, ["--input", f"data={work / 'data'}"])
    lines = [json.loads(line) for line in (work / run / "metrics.jsonl").read_text().splitlines()]
    first = next(line for line in lines if line["step"] == SKIPPED)
    tokens = lines[-1]["tokens"] - first["tokens"]
    return tokens / (lines[-1]["seconds"] - first["seconds"])


def node(work: Path, program: str, config: dict, run: str, extra: list[str]) -> None:
    path = work / f"{run}.json"
    path.write_text(json.dumps(config))
    words = [sys.executable, "-m", "cdr_trainer.node", "--bundle", str(work), "--program", program]
    words += ["--config", path.name, "--run-dir", str(work / run), *extra]
    subprocess.run(words, env={**os.environ, "PYTHONPATH": str(TRAINER)}, check=True)


def train_config(steps: int) -> dict:
    return {
        "format": 1, "step": "bench", "engine": "torch", "deepspeed": None, "seed": 1, "determinism": "default",
        "model": MODEL, "precision": "fp32", "attention": "sdpa", "recompute": "none", "compile": False, "world": 1,
        "batch": {"micro_batch": BATCH, "accumulation": 1, "global_batch": BATCH, "sequence": SEQUENCE},
        "length": {"steps": steps, "tokens": steps * BATCH * SEQUENCE},
        "optimizer": {"name": "adamw", "lr": LR, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0},
        "schedule": {"name": "cosine", "warmup_steps": 10, "final_ratio": 0, "cooldown_steps": 0}, "clip": 1.0,
        "eval": None, "log": {"every_steps": LOGGED_EVERY},
        "checkpoint": {"every_steps": None, "every_seconds": None, "keep_last": 1, "keep_best": None},
        "resume": "exact", "from_input": False, "expectations": [], "track": ["console"],
    }  # fmt: skip


def prepare_config() -> dict:
    source = {"name": "stdlib", "kind": "python_stdlib", "part": "source", "share": 1, "max_epochs": 1}
    return {
        "format": 1, "step": "data", "seed": 1, "sources": [source],
        "tokenizer": {"kind": "bytes", "specials": ["<|end|>"], "vocab": MODEL["vocab"]}, "sequence": SEQUENCE,
        "document_end": True, "split": {"val": 0.02, "seed": 1}, "shuffle": True, "limit_files": None,
    }  # fmt: skip


def compare(work: Path, rounds: int, steps: int) -> dict:
    node(work, "prepare", prepare_config(), "data", [])
    rates: dict[str, list[float]] = {"ours": [], "peer": []}
    threads = os.environ.get("OMP_NUM_THREADS") or str(len(os.sched_getaffinity(0)))
    for number in range(rounds):
        rates["ours"].append(ours(work, f"ours-{number}", steps))
        words = [sys.executable, __file__, "--peer", str(work / "data" / "result"), "--steps", str(steps)]
        out = subprocess.run(words, env={**os.environ, "OMP_NUM_THREADS": threads}, check=True, capture_output=True)
        rates["peer"].append(json.loads(out.stdout.splitlines()[-1])["tokens_per_second"])
        print(f"ours {rates['ours'][-1]:,.0f}  peer {rates['peer'][-1]:,.0f} tokens/s", file=sys.stderr)
    middle = {name: statistics.median(values) for name, values in rates.items()}
    best = {name: max(values) for name, values in rates.items()}
    ratios = {"ratio": middle["ours"] / middle["peer"], "ratio_of_best": best["ours"] / best["peer"]}
    return {"name": "trainer", "tokens_per_second": rates, **{name: round(value, 4) for name, value in ratios.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, help="train the bare script on this data set and print its rate")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--work", type=Path)
    given = parser.parse_args()
    if given.peer:
        print(json.dumps({"tokens_per_second": peer(given.peer, given.steps)}))
        return
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(compare((given.work or Path(folder)).absolute(), given.rounds, given.steps)))


if __name__ == "__main__":
    main()

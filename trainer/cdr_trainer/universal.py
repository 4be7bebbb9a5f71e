"""A DeepSpeed checkpoint taken up by other ranks: every tensor whole, cut anew where it is read.

`checkpoint.load_universal` of the DeepSpeed configuration asks for it. The engine's own converter writes the whole
tensors beside the checkpoint; what needs no converting is read as it lies, and so to the bit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from math import prod
from pathlib import Path
from typing import Any

from . import checkpoints
from .errors import UserError
from .files import read_json

# What is cut anew, and how the samples of a step are shared out.
MOVES = ("world", "zero_stage", "context_parallel", "batch")


def is_asked(settings: Any) -> bool:
    return bool(settings.deepspeed and settings.deepspeed.get("checkpoint", {}).get("load_universal", False))


def moved(path: Path, facts: dict[str, Any]) -> bool:
    """Do other ranks, or another stage of ZeRO, go on from what these left?"""
    manifest = read_json(path / checkpoints.MANIFEST)
    return any(manifest.get(key) != facts[key] for key in MOVES)


def check(path: Path, facts: dict[str, Any]) -> None:
    """A place in the data is a number of steps, so a step has to be as many samples as before."""
    manifest = read_json(path / checkpoints.MANIFEST)
    then, now = _step_of(manifest), _step_of(facts)
    if then != now:
        raise UserError(
            f"{path.name} cannot be taken up: its steps were {then[0]} samples of {then[1]} tokens, and these are "
            f"{now[0]} of {now[1]}. Keep `batch` and `sequence`; ranks, micro-batch and accumulation may change"
        )
    if facts.get("expert_parallel"):
        raise UserError(f"{path.name} cannot be taken up: ranks that share experts go on with their own")
    stages = manifest.get("zero_stage"), facts["zero_stage"]
    if not all(stages) or (3 in stages and stages != (3, 3)):
        raise UserError(
            f"{path.name} cannot be taken up: DeepSpeed reads the shards of ZeRO 1 and 2 at either, and those "
            f"of ZeRO 3 at 3; the stage was {stages[0]} then, and is {stages[1]} now"
        )


def _step_of(facts: dict[str, Any]) -> tuple[int, int]:
    micro, accumulation, sequence = facts["batch"]
    return prod((micro, accumulation, facts["world"])) // (facts.get("context_parallel") or 1), sequence


def convert(path: Path, run_dir: Path) -> Path:
    """A folder to resume from, in the place of `path`. It goes with the next start of the run."""
    made = checkpoints.folder(run_dir) / f".universal-{path.name}"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    for name in ("trainer_state.json", "scheduler.pt", "scaler.pt"):
        if (path / name).exists():
            shutil.copyfile(path / name, made / name)
    shards = next(iter(sorted(path.glob("global_step*"))), None)
    if shards is None:
        raise UserError(f"{path} has no states of DeepSpeed, only weights: it was not written by this engine")
    words = ["--input_folder", str(shards), "--output_folder", str(made / shards.name), "--inject_missing_state"]
    workers = str(min(4, os.cpu_count() or 1))
    words += ["--num_extract_workers", workers, "--num_merge_workers", workers]
    # A process of its own: it forks, which one with open process groups must not.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("TORCHELASTIC_")}
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT"):
        alone.pop(name, None)
    module = [sys.executable, "-m", "deepspeed.checkpoint.ds_to_universal", *words]
    ended = subprocess.run(
        module, env=alone, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if ended.returncode != 0:
        said = ended.stdout.strip().splitlines()[-1:] or ["nothing"]
        raise UserError(f"DeepSpeed's converter could not read {path.name}: {said[0]}")
    return made


def read_from(trainer: Any, whole: bool) -> None:
    """Says to the engine, before it is built, which of the two forms it will read."""
    trainer.accelerator.state.deepspeed_plugin.deepspeed_config["checkpoint"]["load_universal"] = whole


def mend(optimizer: Any, decays: list[float]) -> None:
    """Stage 3 reads the settings of the first group into all, and gives them one counter of steps, which each moves.

    (zero/stage3.py: load_hp_checkpoint_state_from_checkpoint_dir_stage3.)
    """
    for group, decay in zip(optimizer.param_groups, decays, strict=True):
        group["weight_decay"] = decay
    for state in optimizer.state.values():
        if hasattr(state.get("step"), "clone"):
            state["step"] = state["step"].clone()

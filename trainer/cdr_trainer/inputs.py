"""Inputs as a launcher names them: `RUN_DIR@result`, `@last`, `@best`, `@step-100`, or plainly a directory."""

from __future__ import annotations

import os
import re
from pathlib import Path

from . import checkpoints
from .errors import UserError


def locate(named: Path, reject: checkpoints.Reject = lambda name, reason: None) -> Path | None:
    """The directory that an input means by now, or `None`. `reject` is told of damaged checkpoints."""
    text, at, which = str(named).rpartition("@")
    step = re.fullmatch(r"step-(\d+)", which)
    if not at or (step is None and which not in ("result", "last", "best")):
        _refuse_damaged(named)
        return named if named.is_dir() else None
    run_dir = Path(text)
    if which == "result":
        result = run_dir / "result"
        return result if result.is_dir() else None
    if step is not None:
        return _of_step(run_dir, int(step[1]), reject)
    return checkpoints.newest_valid(run_dir, reject) if which == "last" else _best(run_dir, reject)


def _of_step(run_dir: Path, step: int, reject: checkpoints.Reject) -> Path | None:
    """The checkpoint of a step; no other serves instead."""
    path = checkpoints.folder(run_dir) / checkpoints.name_of(step)
    if not path.is_dir():
        return None
    reason = checkpoints.verify(path)
    if reason is None:
        return path
    reject(path.name, reason)
    return None


def _best(run_dir: Path, reject: checkpoints.Reject) -> Path | None:
    """The valid checkpoint with the lowest `val_loss`; the newest where nothing was evaluated."""
    measured = []
    for path in checkpoints.present(run_dir):
        try:
            one = checkpoints.load(path)
        except (OSError, ValueError, KeyError):
            continue
        if one.val_loss is not None:
            measured.append(one)
    best_first = sorted(measured, key=lambda one: (one.val_loss, one.step))
    for one in best_first:
        reason = checkpoints.verify(one.path)
        if reason is None:
            return one.path
        reject(one.path.name, reason)
    return checkpoints.newest_valid(run_dir, reject)


def checkpoint(given: dict[str, Path], name: str) -> Path:
    """The checkpoint that the input `name` of a program is. The node agent has verified what it resolved."""
    if name not in given:
        raise UserError(f"no `--input {name}=DIR` was given: name a training run or one of its checkpoints")
    directory = given[name]
    if not (directory / checkpoints.MANIFEST).is_file():
        found = checkpoints.newest_valid(directory)
        if found is None:
            raise UserError(f"{directory} has no valid checkpoint; train first, or look at its `events.jsonl`")
        return found
    if os.environ.get("CDR_NODE_AGENT") != "1":
        _refuse_damaged(directory)
    return directory


def _refuse_damaged(directory: Path) -> None:
    reason = checkpoints.verify(directory) if (directory / checkpoints.MANIFEST).is_file() else None
    if reason:
        raise UserError(f"the checkpoint {directory} is damaged: {reason}")

"""Megatron's checkpoints as this run's: sealed with a manifest, named `step-…` beside their own name, kept as asked.

Megatron writes `iter_<7 digits>/` and names the newest in a file (megatron/training/checkpointing.py:
get_checkpoint_name, get_checkpoint_tracker_filename). Megatron Bridge writes that file too, and reads another one
first: a copy of the newest one's own state (megatron/bridge/training/checkpointing.py: save_checkpoint,
_resolve_checkpoint_iteration).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from . import checkpoints
from .errors import UserError
from .events import Events
from .files import read_json

TRACKER = "latest_checkpointed_iteration.txt"
BRIDGE_TRACKER = "latest_train_state.pt"
_BRIDGE_STATE = "train_state.pt"


def directory(run_dir: Path, step: int) -> Path:
    return checkpoints.folder(run_dir) / f"iter_{step:07d}"


def newest(run_dir: Path) -> int | None:
    """The step that Megatron would go on from."""
    try:
        return int((checkpoints.folder(run_dir) / TRACKER).read_text().strip())
    except (OSError, ValueError):
        return None


def point(folder: Path, step: int) -> None:
    """Makes Megatron and Megatron Bridge take this step for the newest of `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / TRACKER, str(step).encode())
    state = folder / f"iter_{step:07d}" / _BRIDGE_STATE
    if state.exists():
        _replace(folder / BRIDGE_TRACKER, state.read_bytes())
    else:
        (folder / BRIDGE_TRACKER).unlink(missing_ok=True)


def _replace(path: Path, content: bytes) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_bytes(content)
    fresh.replace(path)


class Keeper:
    """Seals each checkpoint in a thread of its own: its bytes are hashed while training goes on."""

    def __init__(self, run_dir: Path, attempt: int, config: Any) -> None:
        self.run_dir, self.config = run_dir, config
        self.events = Events(run_dir, attempt)
        self.kept: list[checkpoints.Checkpoint] = []
        self._saved: SimpleQueue[int | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def mend(self) -> None:
        """Before Megatron looks: a damaged checkpoint is set aside, one that was being written is removed."""
        last = newest(self.run_dir)
        for path in sorted(checkpoints.folder(self.run_dir).glob("iter_???????")):
            step = int(path.name[5:])
            if last is None or step > last:
                checkpoints.remove(path)
            elif not (path / checkpoints.MANIFEST).exists():
                self._seal(step)
        for path in reversed(checkpoints.present(self.run_dir)):
            if (path / checkpoints.MANIFEST).exists():
                self.kept.append(checkpoints.load(path))
            else:
                path.unlink()
        while self.kept and (reason := checkpoints.verify(self.kept[-1].path)):
            self._reject(self.kept.pop(), reason)
        if self.kept:
            point(checkpoints.folder(self.run_dir), self.kept[-1].step)
        else:
            for tracker in (TRACKER, BRIDGE_TRACKER):
                (checkpoints.folder(self.run_dir) / tracker).unlink(missing_ok=True)

    def _reject(self, damaged: checkpoints.Checkpoint, reason: str) -> None:
        used = f"checkpoints/{self.kept[-1].path.name}" if self.kept else None
        self.events.emit("rejected_checkpoint", path=f"checkpoints/{damaged.path.name}", reason=reason, used=used)
        own = directory(self.run_dir, damaged.step)
        own.rename(own.with_name(f"rejected-{own.name}"))
        damaged.path.unlink()

    def adopt(self, step: int) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        self._saved.put(step)

    def finish(self) -> None:
        """Waits until everything that was saved is sealed."""
        if self._thread is not None:
            self._saved.put(None)
            self._thread.join()

    def _work(self) -> None:
        while (step := self._saved.get()) is not None:
            try:
                self.kept = [one for one in self.kept if one.step != step] + [self._seal(step)]
                self._retain()
            except OSError as error:
                self.events.warning(f"the checkpoint of step {step} is not sealed: {error}")

    def _seal(self, step: int) -> checkpoints.Checkpoint:
        began = time.perf_counter()
        own = directory(self.run_dir, step)
        files = {name: checkpoints.digest(own / name) for name in checkpoints.contents(own)}
        batch = self.config.batch
        facts = {
            "step": step,
            "tokens": step * batch.global_batch * batch.sequence,
            "val_loss": self._val_loss(step),
            "engine": "megatron",
            "world": self.config.world,
        }
        checkpoints.seal(own, facts, files)
        link = checkpoints.folder(self.run_dir) / checkpoints.name_of(step)
        if not link.is_symlink():
            link.symlink_to(own.name)
        self.events.emit(
            "checkpoint",
            step=step,
            path=f"checkpoints/{link.name}",
            bytes=sum(entry["bytes"] for entry in files.values()),
            seconds=round(time.perf_counter() - began, 3),
        )
        return checkpoints.Checkpoint(link, step, facts["val_loss"])

    def _val_loss(self, step: int) -> float | None:
        """The last rank writes it, and evaluates before it saves."""
        path = self.run_dir / "metrics.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        records = (json.loads(line) for line in reversed(lines) if '"val_loss"' in line)
        return next((one["val_loss"] for one in records if one["step"] == step), None)

    def _retain(self) -> None:
        keep = self.config.checkpoint
        stay = checkpoints.chosen(self.kept, keep.keep_last, keep.keep_best is not None)
        for one in self.kept:
            if one not in stay:
                one.path.unlink()
                checkpoints.remove(directory(self.run_dir, one.step))
        for path in checkpoints.folder(self.run_dir).glob("rejected-*"):
            shutil.rmtree(path, ignore_errors=True)
        self.kept = stay


def offer(run_dir: Path, checkpoint: Path) -> Path:
    """A folder that Megatron loads exactly this checkpoint of another run from."""
    manifest = read_json(checkpoint / checkpoints.MANIFEST)
    if manifest.get("engine") != "megatron":
        raise UserError(f"{checkpoint} is of engine {manifest.get('engine')}, and Megatron loads only its own")
    step, own = manifest["step"], checkpoint.resolve()
    folder = run_dir / "from" / "checkpoints"
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):  # every node does it, in one folder where they share it
        (folder / f"iter_{step:07d}").symlink_to(own)
    point(folder, step)
    return folder.parent

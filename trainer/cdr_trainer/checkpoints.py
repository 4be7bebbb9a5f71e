"""Checkpoints that count only when every byte is right: manifest, verification, choice, retention.

python -m cdr_trainer.checkpoints RUN_DIR      # prints JSON: each checkpoint and whether it is valid
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .files import read_json, sync_directory, write_json

MANIFEST = "MANIFEST.json"
FORMAT = 1
_STAGING = ".saving-"
_DOOMED = ".deleting-"
_REJECTED = "rejected-"
_BLOCK = 1 << 22

# There is no way to ask but to set it.
os.umask(_UMASK := os.umask(0o077))

Reject = Callable[[str, str], None]


@dataclass(frozen=True)
class Checkpoint:
    path: Path
    step: int
    val_loss: float | None


def folder(run_dir: Path) -> Path:
    return run_dir / "checkpoints"


def name_of(step: int) -> str:
    return f"step-{step:08d}"


def staging_path(run_dir: Path, step: int) -> Path:
    return folder(run_dir) / f"{_STAGING}{name_of(step)}"


def digest(path: Path, durable: bool = False) -> dict[str, Any]:
    """`{sha256, bytes}` of a file; `durable` also forces it to the disk."""
    state = hashlib.sha256()
    size = 0
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            state.update(block)
            size += len(block)
        if durable:
            os.fsync(file.fileno())
    return {"sha256": state.hexdigest(), "bytes": size}


def contents(path: Path) -> list[str]:
    """Relative names of all files of a checkpoint but its manifest, sorted."""
    names = (file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
    return sorted(name for name in names if name != MANIFEST)


def _seal(manifest: dict[str, Any]) -> str:
    """SHA-256 of the manifest without its own seal, as canonical JSON."""
    body = {key: value for key, value in manifest.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def seal(path: Path, facts: dict[str, Any], files: dict[str, dict[str, Any]]) -> None:
    """Writes the manifest: from then on the directory is a checkpoint."""
    manifest = {"format": FORMAT, **facts, "files": files}
    write_json(path / MANIFEST, manifest | {"sha256": _seal(manifest)})
    for directory in {path, *((path / name).parent for name in files)}:
        sync_directory(directory)


def commit(staging: Path, facts: dict[str, Any], files: dict[str, dict[str, Any]]) -> Path:
    """Seals a complete staging directory and renames it into place. Returns the checkpoint."""
    for name in files:  # safetensors writes for its owner alone
        os.chmod(staging / name, 0o666 & ~_UMASK)
    seal(staging, facts, files)
    target = staging.with_name(name_of(facts["step"]))
    if target.exists():
        remove(target)
    staging.rename(target)
    sync_directory(target.parent)
    return target


def remove(path: Path) -> None:
    """Renamed first, so that a kill in the middle leaves nothing that looks like a checkpoint."""
    doomed = path.with_name(_DOOMED + path.name)
    shutil.rmtree(doomed, ignore_errors=True)
    path.rename(doomed)
    shutil.rmtree(doomed)


def verify(path: Path) -> str | None:
    """What is wrong with a checkpoint; `None` when every file has its size and checksum."""
    try:
        manifest = read_json(path / MANIFEST)
    except FileNotFoundError:
        return f"no {MANIFEST}"
    except (OSError, ValueError) as error:
        return f"{MANIFEST} cannot be read: {error}"
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        return f"{MANIFEST} has an unknown format"
    if manifest.get("sha256") != _seal(manifest):
        return f"{MANIFEST} does not match its own checksum"
    if path.name.startswith("step-") and path.name != name_of(manifest["step"]):
        return f"{MANIFEST} is of step {manifest['step']}"
    for name, wanted in manifest["files"].items():
        reason = _verify_file(path / name, name, wanted)
        if reason:
            return reason
    return None


def _verify_file(path: Path, name: str, wanted: dict[str, Any]) -> str | None:
    try:
        size = path.stat().st_size
    except OSError:
        return f"{name} is missing"
    if size != wanted["bytes"]:
        return f"{name} has {size} bytes instead of {wanted['bytes']}"
    try:
        return None if digest(path)["sha256"] == wanted["sha256"] else f"{name} does not match its checksum"
    except OSError as error:
        return f"{name} cannot be read: {error.strerror}"


def present(run_dir: Path) -> list[Path]:
    """Everything in place that is named as a checkpoint, newest first."""
    return sorted(folder(run_dir).glob("step-????????"), reverse=True)


def newest_valid(run_dir: Path, reject: Reject = lambda name, reason: None) -> Path | None:
    """For readers of another step's run: changes nothing."""
    for path in present(run_dir):
        reason = verify(path)
        if reason is None:
            return path
        reject(path.name, reason)
    return None


def find_resume(run_dir: Path, reject: Reject) -> Path | None:
    """The newest valid checkpoint. Damaged ones are reported and set aside, half-written ones removed."""
    for path in sorted(folder(run_dir).glob(".*")):
        if path.name.startswith(_STAGING):
            reject(path.name, "half written: the process ended while it was being saved")
        shutil.rmtree(path, ignore_errors=True)
    for path in present(run_dir):
        reason = verify(path)
        if reason is None:
            return path
        reject(path.name, reason)
        aside = path.with_name(_REJECTED + path.name)
        shutil.rmtree(aside, ignore_errors=True)
        path.rename(aside)
    return None


def load(path: Path) -> Checkpoint:
    manifest = read_json(path / MANIFEST)
    return Checkpoint(path, manifest["step"], manifest.get("val_loss"))


def chosen(saved: list[Checkpoint], keep_last: int | None, keep_best: bool) -> list[Checkpoint]:
    """The newest `keep_last` and the best of `saved`, which is ascending; its last one always stays."""
    kept = saved if keep_last is None else saved[-max(1, keep_last) :]
    measured = [one for one in saved if one.val_loss is not None]
    if not keep_best or not measured:
        return kept
    best = min(measured, key=lambda one: (one.val_loss, one.step))
    return sorted({best, *kept}, key=lambda one: one.step)


def retain(run_dir: Path, saved: list[Checkpoint], keep_last: int | None, keep_best: bool) -> list[Checkpoint]:
    """Deletes what is not among the newest `keep_last` nor the best, and what was set aside; returns what is left.

    `saved` is ascending and holds only checkpoints that are known to be valid; its last one always stays.
    """
    kept = chosen(saved, keep_last, keep_best)
    for one in saved:
        if one not in kept:
            remove(one.path)
    for path in folder(run_dir).glob(f"{_REJECTED}*"):
        remove(path)
    return kept


def main() -> int:
    run_dir = Path(sys.argv[1])
    found = []
    for path in present(run_dir):
        reason = verify(path)
        size = sum((path / name).stat().st_size for name in contents(path))
        row = {"path": str(path.relative_to(run_dir)), "step": int(path.name[5:]), "bytes": size}
        found.append(row | {"valid": reason is None, "reason": reason})
    print(json.dumps({"checkpoints": found}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

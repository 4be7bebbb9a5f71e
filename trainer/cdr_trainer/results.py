"""Artefacts of a step: written aside, renamed into `result/` when they are complete."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from .files import sync_directory


@contextlib.contextmanager
def staging(run_dir: Path) -> Iterator[Path]:
    """An empty folder beside `result/`; what is left in it after an error is removed."""
    folder = run_dir / ".result"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(folder: Path, run_dir: Path) -> Path:
    """Makes `folder` durable and puts it in the place of `result/`."""
    for path in sorted(folder.rglob("*")):
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)
    target, old = run_dir / "result", run_dir / ".result-old"
    if target.exists():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    folder.rename(target)
    sync_directory(run_dir)
    shutil.rmtree(old, ignore_errors=True)
    return target

"""A little space that is kept while a program runs, so that a full disk does not keep the agent from saying so."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from .arguments import NodeArguments

# Far above the last event and the exit file with the last lines of a rank.
SIZE = 128 * 1024


def keep(arguments: NodeArguments) -> None:
    """Random bytes: a file system that compresses would keep no space for others."""
    with contextlib.suppress(OSError):
        _file(arguments).write_bytes(os.urandom(SIZE))


def is_full(arguments: NodeArguments) -> bool:
    return shutil.disk_usage(arguments.run_dir).free < SIZE


def give_back(arguments: NodeArguments) -> None:
    with contextlib.suppress(OSError):
        _file(arguments).unlink()


def _file(arguments: NodeArguments) -> Path:
    return arguments.run_dir / "control" / f"reserve-{arguments.node}"

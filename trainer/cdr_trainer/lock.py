"""One live run in a directory: a lock that the kernel drops when the last process holding it is gone."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from pathlib import Path

from .errors import IN_USE, UserError


def take(run_dir: Path, node: int, attempt: int) -> int:
    """Returns the file descriptor that holds the lock; children that inherit it hold the lock as well.

    Node 0 takes `lock`. On a shared file system the other nodes of the same run see the same directory, so each of
    them has a lock of its own, `lock.<node>`.
    """
    path = run_dir / ("lock" if node == 0 else f"lock.{node}")
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = _holder(handle)
        os.close(handle)
        raise UserError(f"{run_dir} is in use by a live run{holder}. Wait for it, or cancel it.", IN_USE) from error
    note = {"pid": os.getpid(), "host": socket.gethostname(), "attempt": attempt, "since": round(time.time(), 3)}
    with contextlib.suppress(OSError):  # the lock holds on a full disk as well; only its note is missing
        os.ftruncate(handle, 0)
        os.pwrite(handle, (json.dumps(note) + "\n").encode(), 0)
    return handle


def _holder(handle: int) -> str:
    try:
        note = json.loads(os.pread(handle, 4096, 0))
        return f" (process {note['pid']} on {note['host']}, attempt {note['attempt']})"
    except (ValueError, KeyError, OSError):
        return ""

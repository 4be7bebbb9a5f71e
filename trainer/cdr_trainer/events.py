"""Append-only JSON lines: `events.jsonl` and `metrics.jsonl` of a run directory."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Any


def plain(value: Any) -> Any:
    """Numbers as JSON has them: what is not finite becomes null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def append_line(path: Path, record: dict[str, Any]) -> None:
    """One `write` with O_APPEND per line, so that lines of several processes never mix and none is lost by a kill."""
    line = json.dumps(plain(record), ensure_ascii=False, separators=(",", ":")) + "\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


class Events:
    """What this attempt says about itself. A silent one (`run_dir=None`) serves the ranks that do not report."""

    def __init__(self, run_dir: Path | None, attempt: int) -> None:
        self.path = None if run_dir is None else run_dir / "events.jsonl"
        self.attempt = attempt
        self._last_progress = 0.0

    def emit(self, kind: str, **fields: Any) -> None:
        if self.path is None:
            return
        record = {"time": round(time.time(), 3), "attempt": self.attempt, "kind": kind, **fields}
        try:
            append_line(self.path, record)
        except OSError as error:  # a full disk must not hide the error that is being reported
            print(f"could not write {self.path}: {error}", file=sys.stderr)

    def state(self, state: str, reason: str, **fields: Any) -> None:
        self.emit("state", state=state, reason=reason, **fields)

    def warning(self, message: str) -> None:
        self.emit("warning", message=message)
        if self.path is not None:
            print(f"warning: {message}", flush=True)

    def progress(self, done: int, total: int, unit: str) -> None:
        """At most two events a second; the last one (`done == total`) is always written."""
        now = time.monotonic()
        if done < total and now - self._last_progress < 0.5:
            return
        self._last_progress = now
        self.emit("progress", done=done, total=total, unit=unit)

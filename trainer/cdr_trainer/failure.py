"""Which rank failed first, and why, from what the ranks and torchrun left behind."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import layout
from .arguments import TRAINING, NodeArguments
from .errors import PREFLIGHT
from .files import read_json

TAIL_LINES = 20

# What a rank says when the cause is another rank.
_ECHO = re.compile(
    r"Connection (closed|reset) by peer|Broken pipe|connectFullMesh|Connection refused|DistBackendError"
    r"|another rank|remote process exited|Timed out waiting|NCCL.*(abort|timeout)|store.*(timeout|recv)",
    re.IGNORECASE,
)
_KNOWN = [
    (r"CUDA out of memory|OutOfMemoryError", "the GPU ran out of memory; lower micro_batch or use recompute or ZeRO"),
    (r"DefaultCPUAllocator.*allocate memory|Cannot allocate memory", "the machine ran out of memory"),
    (r"No space left on device|os error 28", "the disk is full"),
    (r"NCCL.*(error|timeout)", "NCCL could not talk to another rank; look at the network of the nodes"),
    (r"connectFullMesh|Connection refused", "gloo could not reach another rank"),
]


@dataclass(frozen=True)
class Failure:
    rank: int | None  # None: torchrun itself
    node: int
    code: int
    cause: str
    tail: list[str]


def find(arguments: NodeArguments, returned: int, oom_kills: int) -> Failure:
    """`returned` is the exit code of torchrun or of the only process; `oom_kills` counts those of the kernel."""
    records = _records(arguments, returned)
    first = min(records, key=_precedence) if records else {"rank": None, "code": returned}
    tail = []
    if records:
        tail = _tail(layout.log_file(arguments.run_dir, arguments.attempt, arguments.node, first["rank"], "err"))
    tail = tail or _tail(layout.node_log(arguments.run_dir, arguments.attempt, arguments.node))
    return Failure(first["rank"], arguments.node, first["code"], _cause(first, tail, oom_kills), tail)


def _records(arguments: NodeArguments, returned: int) -> list[dict[str, Any]]:
    """One per failed rank of this node. Exit codes below zero are signals, as `subprocess` counts them."""
    failed: dict[int, dict[str, Any]] = {}
    for entry in _read(layout.torchrun_record(arguments.run_dir, arguments.attempt, arguments.node)) or []:
        failed[entry["rank"]] = entry
    for local in range(arguments.procs):
        rank = arguments.node * arguments.procs + local
        own = _read(layout.rank_record(arguments.run_dir, arguments.attempt, rank))
        if own and own.get("code"):
            failed[rank] = own
        elif own and arguments.program not in TRAINING and returned:
            failed[rank] = own | {"code": returned}
    return list(failed.values())


def _read(path: Path) -> Any:
    try:
        return read_json(path)
    except (OSError, ValueError):
        return None


def _precedence(record: dict[str, Any]) -> tuple[int, float]:
    """Killed ranks come first (the others then lose their connection), torchrun's own SIGTERM and echoes last."""
    code, message = record["code"], f"{record.get('type')}: {record.get('message')}"
    if code == -signal.SIGTERM:
        order = 3
    elif code < 0:
        order = 0
    else:
        order = 2 if _ECHO.search(message) else 1
    return order, record.get("time", 0)


def _cause(record: dict[str, Any], tail: list[str], oom_kills: int) -> str:
    code, kind, message = record["code"], record.get("type"), (record.get("message") or "").strip()
    who = "the launcher of the ranks" if record["rank"] is None else f"rank {record['rank']}"
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        if code == -signal.SIGKILL:
            by = "the kernel's out-of-memory killer" if oom_kills else "someone, or by the system for lack of memory"
            return f"{who} was killed ({name}) by {by}"
        return f"{who} died of {name}"
    if kind == "UserError":
        return message
    text = f"{kind}: {message}" if kind else "\n".join(tail)
    for pattern, meaning in _KNOWN:
        if re.search(pattern, text):
            return f"{meaning} ({kind or 'see the log'})"
    if kind:
        return f"{kind}: {message.splitlines()[0] if message else 'no message'}"
    if record["rank"] is None and code == PREFLIGHT and tail:
        return tail[-1]
    return f"{who} left with exit code {code}"


def _tail(path: Path) -> list[str]:
    try:
        with open(path, "rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 16384))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [line[:500] for line in lines[-TAIL_LINES:]]


def count_oom_kills() -> int:
    """Out-of-memory kills in this control group so far (`memory.events` of cgroup v2); 0 where that is not told."""
    try:
        with open("/proc/self/cgroup", encoding="ascii") as file:
            group = file.read().strip().rpartition("::")[2]
        for line in Path(f"/sys/fs/cgroup{group}/memory.events").read_text().splitlines():
            name, value = line.split()
            if name == "oom_kill":
                return int(value)
    except (OSError, ValueError):
        pass
    return 0

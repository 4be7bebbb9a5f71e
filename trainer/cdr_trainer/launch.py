"""How a program's processes are started on this node: the command and its environment."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from . import layout
from .arguments import DISTRIBUTED, NodeArguments, program_command
from .config import Config
from .processes import PARENT_VARIABLE

PACKAGE_ROOT = str(Path(__file__).resolve().parent.parent)


def command(arguments: NodeArguments, config: Config) -> list[str]:
    """torchrun for a training or a measurement, of one process too; an engine's own script; else a lone process."""
    if arguments.program == "megatron":
        return ["bash", str(arguments.config.parent / config.script)]
    program = program_command(arguments)
    if arguments.program not in DISTRIBUTED:
        return [sys.executable, *program]
    record = layout.torchrun_record(arguments.run_dir, arguments.attempt, arguments.node)
    words = [sys.executable, "-m", "cdr_trainer.torchrun", str(record)]
    words += ["--nnodes", str(arguments.nodes), "--nproc-per-node", str(arguments.procs), "--max-restarts", "0"]
    # A scheduler's SIGTERM is a wish to save: the agent passes it on, and torchrun must not end the ranks of it.
    words += ["--signals-to-handle", "SIGINT,SIGHUP,SIGQUIT"]
    if arguments.nodes == 1:
        words += ["--standalone", "--local-addr", "127.0.0.1"]
    else:
        host, _, port = (arguments.endpoint or "").rpartition(":")
        words += ["--node-rank", str(arguments.node), "--master-addr", host, "--master-port", port]
        words += ["--rdzv-id", arguments.rendezvous]
    return words + program


def fetching(arguments: NodeArguments, held: int, log: IO[bytes]) -> subprocess.Popen[str]:
    """What prints the folder of the weights that a stage begins with, as a process that can be ended."""
    words = ["--config", str(arguments.config), "--project", str(arguments.project)]
    return subprocess.Popen(
        [sys.executable, "-m", "cdr_trainer.weights", *words],
        env=environment(arguments, Config(), 0),
        stdin=held,
        stdout=subprocess.PIPE,
        stderr=log,
        start_new_session=True,
        text=True,
    )


def environment(arguments: NodeArguments, config: Config, gpus: int) -> dict[str, str]:
    """The agent's environment and what the ranks need on top; what the user has set wins."""
    env = dict(os.environ)
    env[PARENT_VARIABLE] = str(os.getpid())
    env["CDR_NODE_AGENT"] = "1"
    env["PYTHONPATH"] = os.pathsep.join([PACKAGE_ROOT, *filter(None, [env.get("PYTHONPATH")])])
    env.setdefault("OMP_NUM_THREADS", str(max(1, cores() // arguments.procs)))
    env.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    # Threads that spin while they wait are fastest alone, and many times slower beside another busy process.
    if gpus == 0 and arguments.program in DISTRIBUTED and busy_share() > 0.5:
        env.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if arguments.nodes == 1 and sys.platform == "linux":
        env.setdefault("GLOO_SOCKET_IFNAME", "lo")
    if arguments.program == "megatron":
        return env | own_program(arguments)
    if arguments.program not in DISTRIBUTED:
        return env
    if gpus == 0:
        env.setdefault("DS_ACCELERATOR", "cpu")
    if config.get("determinism", "default") == "bitwise":
        env.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    return env


def own_program(arguments: NodeArguments) -> dict[str, str]:
    """What the script of an engine with programs of its own reads, and the ranks that it starts."""
    record = layout.torchrun_record(arguments.run_dir, arguments.attempt, arguments.node)
    host, _, port = (arguments.endpoint or "").rpartition(":")
    return {
        "CDR_CONFIG": str(arguments.config),
        "CDR_RUN": str(arguments.run_dir),
        "CDR_ATTEMPT": str(arguments.attempt),
        "CDR_NODE": str(arguments.node),
        "CDR_RECORD": str(record),
        "CDR_DATA": str(layout.artefacts(arguments.inputs["data"])) if "data" in arguments.inputs else "",
        "CDR_FROM": str(arguments.inputs.get("from", "")),
        "NODE_RANK": str(arguments.node),
        "MASTER_ADDR": host,
        "MASTER_PORT": port,
    }


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def busy_share(seconds: float = 0.1) -> float:
    """Share of the processor time that is in use right now; the load average still has the last step in it."""

    def sample() -> tuple[int, int]:
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(field) for field in file.readline().split()[1:]]
        return sum(fields[:8]), fields[3] + fields[4]  # all, and of it idle and waiting for a disk

    try:
        (all_before, idle_before), _, (all_after, idle_after) = sample(), time.sleep(seconds), sample()
    except (OSError, ValueError, IndexError):
        return 0.0
    return 1 - (idle_after - idle_before) / max(1, all_after - all_before)

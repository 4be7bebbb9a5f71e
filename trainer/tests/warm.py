"""Node agents forked from one process that has imported what ranks import, which is most of what a short run costs.

Everything of an agent and of its ranks runs as it does elsewhere, but for two programs that a fork has no use for:
the interpreter that is started anew, and torchrun. Tests that start an agent to kill it have both.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, NoReturn

PATIENCE = 600
LIBRARIES = (
    "accelerate",
    "deepspeed",
    # DeepSpeed imports it with its first optimizer, and it the compiler of torch.
    "deepspeed.runtime.zero.muon.muon_optimizer",
    "peft",
    "torch.distributed.checkpoint",
    "torch.distributed.fsdp",
    "transformers.models.llama.modeling_llama",
    "cdr_trainer.checkpoints",
    "cdr_trainer.models",
    "cdr_trainer.pipeline_trainer",
    "cdr_trainer.reporting",
    "cdr_trainer.settings",
    "cdr_trainer.stage_trainer",
    "cdr_trainer.tuning",
)


def is_possible() -> bool:
    """CUDA does not survive a fork."""
    from cdr_trainer.preflight import count_gpus

    return sys.platform == "linux" and count_gpus() == 0


def run(words: list[str], stderr: Path) -> int:
    """Exit code of an agent with these arguments."""
    server = _server()
    if server.poll() is not None:
        _server.cache_clear()
        server = _server()
    assert server.stdin and server.stdout
    server.stdin.write(json.dumps({"words": words, "stderr": str(stderr)}) + "\n")
    server.stdin.flush()
    if not select.select([server.stdout], [], [], PATIENCE)[0]:
        server.kill()
        raise subprocess.TimeoutExpired(words, PATIENCE)
    code = server.stdout.readline()
    if not code:
        raise ChildProcessError(f"the process that agents are forked from ended with {server.wait()}")
    return int(code)


@functools.cache
def _server() -> subprocess.Popen[str]:
    here = Path(__file__).resolve()
    env = {**os.environ, "OMP_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu", "PYTHONPATH": str(here.parent.parent)}
    server = subprocess.Popen(
        [sys.executable, str(here)], env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    atexit.register(server.communicate)
    return server


def serve() -> None:
    from cdr_trainer.processes import PARENT_VARIABLE, die_with_parent

    die_with_parent()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for name in LIBRARIES:
        importlib.import_module(name)
    # Kept by transformers once it is made, for the first save or load.
    importlib.import_module("transformers.conversion_mapping").get_checkpoint_conversion_mapping("llama")
    gc.freeze()
    os.environ[PARENT_VARIABLE] = str(os.getpid())
    for line in sys.stdin:
        agent = os.fork()
        if agent == 0:
            answers.close()
            _guarded(_agent, **json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(agent, 0)[1]), file=answers, flush=True)


def _guarded(program: Any, *given: Any, **named: Any) -> NoReturn:
    """A forked process must not come back into the code that forked it."""
    code = 1
    try:
        code = program(*given, **named) or 0
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _agent(words: list[str], stderr: str) -> int:
    from cdr_trainer import node, processes

    processes.die_with_parent()
    _redirect(os.open(os.devnull, os.O_RDWR), os.open(os.devnull, os.O_RDWR))
    os.dup2(os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    node.subprocess = SimpleNamespace(Popen=_start, STDOUT=subprocess.STDOUT)  # type: ignore[assignment]
    sys.argv = words
    return node.main()


def _redirect(stdin: int, output: int) -> None:
    for descriptor, own in ((stdin, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, own)


def _start(words: list[str], env: dict[str, str], stdin: int, stdout: IO[bytes], **others: Any) -> Any:
    """In the place of `Popen`: a fork that goes on as the module that the words name."""
    if words[0] != sys.executable:
        return subprocess.Popen(words, env=env, stdin=stdin, stdout=stdout, **others)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        _redirect(stdin, stdout.fileno())
        os.environ.clear()
        os.environ.update(env)
        for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        at = len(words) - words[::-1].index("-m")
        program = words[at:]
        if "cdr_trainer.torchrun" not in words:
            _guarded(_module, program)
        count = int(words[words.index("--nproc-per-node") + 1])
        _guarded(_ranks, Path(words[words.index("cdr_trainer.torchrun") + 1]), count, program)
    return SimpleNamespace(wait=lambda: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def _module(words: list[str]) -> None:
    sys.argv = words
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def _ranks(record: Path, count: int, program: list[str]) -> int:
    """As torchrun on one node: a store for the ranks to meet in, and an end for all with the first failure."""
    from torch.distributed import TCPStore

    from cdr_trainer.files import write_json
    from cdr_trainer.processes import PARENT_VARIABLE, die_with_parent

    die_with_parent()
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    meeting = socket.create_server(("127.0.0.1", 0))
    port = meeting.getsockname()[1]
    os.environ |= {
        PARENT_VARIABLE: str(os.getpid()),
        "WORLD_SIZE": str(count),
        "LOCAL_WORLD_SIZE": str(count),
        "GROUP_RANK": "0",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "TORCHELASTIC_RUN_ID": "warm",
        "TORCHELASTIC_RESTART_COUNT": "0",
        "TORCHELASTIC_USE_AGENT_STORE": "True",
    }
    living: dict[int, int] = {}
    for rank in range(count):
        pid = os.fork()
        if pid == 0:
            meeting.close()
            os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank)}
            _guarded(_module, program)
        living[pid] = rank
    store = TCPStore(
        "127.0.0.1", port, is_master=True, wait_for_workers=False, master_listen_fd=meeting.detach(), use_libuv=True
    )
    failures = []
    while living:
        pid, status = os.wait()
        rank, code = living.pop(pid), os.waitstatus_to_exitcode(status)
        if code == 0:
            continue
        failures.append({"rank": rank, "code": code, "pid": pid, "time": time.time()})
        for other in living:
            os.kill(other, signal.SIGTERM)
    del store
    if failures:
        write_json(record, failures, durable=False)
    return 1 if failures else 0


if __name__ == "__main__":
    serve()

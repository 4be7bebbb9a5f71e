"""The start and the end of every program process: its logs, its record, its exit code."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from . import layout
from .arguments import ProgramArguments, parse_program
from .errors import FAILED, NO_SPACE, OK, UserError, is_no_space
from .files import write_json
from .processes import die_with_parent, obey_only_parent

Program = Callable[[ProgramArguments], "int | None"]


def global_rank() -> int:
    return int(os.environ.get("RANK", "0"))


def world_size() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


def run(program: Program, arguments: ProgramArguments | None = None) -> NoReturn:
    """Runs `program` as one rank. Leaves by `os._exit`: what native libraries do at exit can abort a finished run.

    A program that brings its `arguments` has a command line and a way with SIGTERM of its own.
    """
    die_with_parent()
    if "TORCHELASTIC_RUN_ID" in os.environ and arguments is None:
        obey_only_parent()
    arguments = arguments or parse_program()
    record = layout.rank_record(arguments.run_dir, arguments.attempt, global_rank())
    own_logs = os.environ.get("CDR_NODE_AGENT") == "1"
    if own_logs:
        _redirect(arguments)
        write_json(record, {"rank": global_rank(), "pid": os.getpid()}, durable=False)
    code, kind, message = _guarded(program, arguments)
    if own_logs:
        ending = {"rank": global_rank(), "pid": os.getpid(), "code": code, "time": time.time()}
        try:
            write_json(record, ending | {"type": kind, "message": message}, durable=False)
        except OSError:
            pass
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _guarded(program: Program, arguments: ProgramArguments) -> tuple[int, str | None, str | None]:
    """Exit code, and for a failure the error's type and message."""
    try:
        return program(arguments) or OK, None, None
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code, "UserError", str(error)
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else FAILED, "SystemExit", str(leave.code)
    except BaseException as error:
        traceback.print_exc()
        full = is_no_space(error) or _disk_is_full(arguments.run_dir)
        return NO_SPACE if full else FAILED, type(error).__name__, str(error)


def _disk_is_full(directory: Path) -> bool:
    """Some writers drop the reason of a failed write; less than a page free is reason enough."""
    try:
        free = os.statvfs(directory)
        return free.f_bavail * free.f_frsize < 4096
    except OSError:
        return False


def _redirect(arguments: ProgramArguments) -> None:
    """Output goes to the rank's files by file descriptor, so what native code prints is in them as well."""
    for stream, descriptor in (("out", 1), ("err", 2)):
        path = layout.log_file(arguments.run_dir, arguments.attempt, arguments.node, global_rank(), stream)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.dup2(handle, descriptor)
        os.close(handle)
    for text in (sys.stdout, sys.stderr):
        text.reconfigure(line_buffering=True)  # type: ignore[union-attr]

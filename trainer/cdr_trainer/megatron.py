"""One rank of Megatron's own program: its words become metrics and events, a wish to stop becomes its SIGTERM.

torchrun -m cdr_trainer.megatron PROGRAM ARGUMENT...     # started by a stage's launch.sh below the node agent

Runs in Megatron's own environment: nothing here needs more than Python's library.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from . import layout
from .arguments import ProgramArguments
from .config import load
from .errors import OK, STOPPED, UserError
from .events import Events, append_line
from .expectations import Expectations
from .files import read_json, write_json
from .megatron_checkpoints import Keeper, newest
from .megatron_words import Words, read, without_first
from .rank import global_rank, run
from .results import publish, staging

_POLL_SECONDS = 0.5


def from_environment() -> ProgramArguments:
    """The command line is the program's own."""
    return ProgramArguments(
        config=Path(os.environ["CDR_CONFIG"]),
        run_dir=Path(os.environ["CDR_RUN"]),
        project=Path.cwd(),
        attempt=int(os.environ["CDR_ATTEMPT"]),
        node=int(os.environ["CDR_NODE"]),
        inputs={},
    )


class Observer:
    """Hears what the program prints. The last rank tells of steps and evaluations, rank 0 of checkpoints."""

    def __init__(self, config: Any, arguments: ProgramArguments, keeper: Keeper) -> None:
        self.config, self.run_dir, self.attempt, self.keeper = config, arguments.run_dir, arguments.attempt, keeper
        self.events = Events(arguments.run_dir, arguments.attempt)
        self.expectations = Expectations(config.expectations)
        self.started: float | None = None
        self.step = 0
        self._first: dict[str, Any] | None = None

    def hear(self, line: str) -> None:
        heard = read(line)
        if heard is None:
            return
        if heard["kind"] == "saved":
            self.keeper.adopt(heard["step"])
            return
        now = time.time()
        self.started = self.started or now
        if heard["kind"] == "step":
            heard = self._alone(heard)
        unsaid = ("kind", "samples", "milliseconds", "skipped")
        record = {key: value for key, value in heard.items() if key not in unsaid}
        batch = self.config.batch
        record["tokens"] = heard.get("samples", heard["step"] * batch.global_batch) * batch.sequence
        if heard["kind"] == "step":
            self.step = heard["step"]
            tokens = batch.global_batch * batch.sequence
            record["tokens_per_second"] = round(1000 * tokens / max(1e-6, heard["milliseconds"]), 1)
            self.events.progress(self.step, self.config.length.steps, "steps")
        record |= {"seconds": round(now - self.started, 3), "attempt": self.attempt}
        append_line(self.run_dir / "metrics.jsonl", record)
        for broken, sentence in self.expectations.judge(record):
            self.events.warning(sentence)
            if broken.otherwise == "stop":
                write_json(_broken(self.run_dir, self.attempt), {"sentence": sentence})
                layout.stop_file(self.run_dir).touch()

    def _alone(self, heard: dict[str, Any]) -> dict[str, Any]:
        """Bridge's lines are means since the one before already."""
        if "megatron.bridge" in sys.modules:
            return heard
        first, self._first = self._first, heard if self.step == 0 else None
        return heard if first is None else without_first(heard, first)


def _broken(run_dir: Path, attempt: int) -> Path:
    return run_dir / "control" / f"a{attempt}" / "expectation.json"


class Stopper(threading.Thread):
    """Turns a wish to stop into the signal that the program saves on, once it listens."""

    def __init__(self, run_dir: Path) -> None:
        super().__init__(daemon=True)
        self.file = layout.stop_file(run_dir)
        signal.signal(signal.SIGTERM, _wait)

    def run(self) -> None:
        while signal.getsignal(signal.SIGTERM) is _wait or not self.file.exists():
            time.sleep(_POLL_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)


def _wait(number: int, frame: Any) -> None:
    """A scheduler's SIGTERM before the program listens: the agent got it as well, and leaves the stop file."""


def megatron(arguments: ProgramArguments) -> int:
    config = load(arguments.config)
    chief = global_rank() == 0
    keeper = Keeper(arguments.run_dir, arguments.attempt, config)
    stopper = Stopper(arguments.run_dir)
    if chief:
        keeper.mend()
        stopper.start()
    observer = Observer(config, arguments, keeper)
    sys.stdout = Words(sys.stdout, observer.hear)
    code = _own_program(sys.argv[1:])
    keeper.finish()
    if code != OK:
        return code
    broken = _broken(arguments.run_dir, arguments.attempt)
    if broken.exists():
        raise UserError(read_json(broken)["sentence"])
    if layout.stop_file(arguments.run_dir).exists() and _iteration(arguments.run_dir) < config.length.steps:
        return STOPPED
    if chief:
        with staging(arguments.run_dir) as folder:
            newest = keeper.kept[-1].path.name if keeper.kept else None
            steps = {"step": config.length.steps, "attempt": arguments.attempt, "checkpoint": newest}
            write_json(folder / "summary.json", steps)
            publish(folder, arguments.run_dir)
    return OK


def _own_program(words: list[str]) -> int:
    """As `python PROGRAM ARGUMENT...` would; returns the code it leaves with."""
    sys.argv = words
    sys.path[0] = str(Path(words[0]).parent)
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else OK if leave.code is None else 1
    return OK


def _iteration(run_dir: Path) -> int:
    """Bridge keeps its own count to itself, and saves before it leaves."""
    try:
        from megatron.training import get_args

        return int(get_args().curr_iteration)
    except (ImportError, AssertionError, AttributeError):
        return newest(run_dir) or 0


if __name__ == "__main__":
    run(megatron, from_environment())

"""The node agent: runs one step's program on this node and says how it went. One per node.

python -m cdr_trainer.node --bundle DIR --program train --config FILE --run-dir DIR --attempt 0 --procs 2
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import FrameType

from . import config as configuration
from . import failure, inputs, layout, lock, preflight, reserve
from .arguments import TRAINING, NodeArguments, parse_node
from .errors import FAILED, NO_SPACE, OK, PREFLIGHT, STOPPED, WRONG_INPUT, UserError, is_no_space
from .events import Events
from .files import write_json
from .launch import command, environment, fetching
from .megatron_checkpoints import offer
from .processes import adopt_orphans, end_descendants

# What a rank may leave with on purpose; any other code is a failure that a retry may mend.
_OWN_CODES = (WRONG_INPUT, PREFLIGHT, NO_SPACE, STOPPED)
_STATES = {OK: "done", STOPPED: "cancelled"}


class Node:
    """One attempt on this node. `killed` holds the signal that ended it early."""

    def __init__(self, arguments: NodeArguments) -> None:
        self.arguments = arguments
        self.events = Events(arguments.run_dir if arguments.node == 0 else None, arguments.attempt)
        self.term_at: float | None = None
        self.killed: int | None = None
        self.fetching: subprocess.Popen[str] | None = None

    def run(self) -> int:
        arguments = self.arguments
        arguments.run_dir.mkdir(parents=True, exist_ok=True)
        try:
            held = lock.take(arguments.run_dir, arguments.node, arguments.attempt)
        except UserError as error:
            print(f"error: {error}", file=sys.stderr)
            return error.code
        if arguments.node == 0:
            layout.stop_file(arguments.run_dir).unlink(missing_ok=True)
        self._listen()
        for folder in ("control", "exit", f"logs/a{arguments.attempt}"):
            (arguments.run_dir / folder).mkdir(parents=True, exist_ok=True)
        self.events.state("starting", f"node {arguments.node} of {arguments.nodes}, process {os.getpid()}")
        try:
            config = self._check()
            self._fetch(config, held)
        except UserError as error:
            return self._ended(self.killed) if self.killed else self._finish(error.code, str(error), None)
        return self._supervise(config, held)

    def _check(self) -> configuration.Config:
        arguments = self.arguments
        config = configuration.load(arguments.config)
        if arguments.program in TRAINING and config.world != arguments.nodes * arguments.procs:
            asked = f"{arguments.nodes} x {arguments.procs}"
            raise UserError(f"the stage was compiled for {config.world} processes and {asked} were started")
        self.events.state("preflight", "packages, inputs, space, devices, ports")
        found = {name: self._locate(named) for name, named in arguments.inputs.items()}
        missing = [arguments.inputs[name] for name, directory in found.items() if directory is None]
        lacks = preflight.check(arguments, config, preflight.count_gpus(), missing)
        if lacks:
            code = PREFLIGHT if any(lack.code == PREFLIGHT for lack in lacks) else lacks[0].code
            raise UserError("; ".join(lack.message for lack in lacks), code)
        if arguments.program == "megatron" and "from" in found:
            found["from"] = offer(arguments.run_dir, found["from"])
        self.arguments = replace(arguments, inputs=found)
        return config

    def _locate(self, named: Path) -> Path | None:
        """What an input means by now. A damaged checkpoint of another step is named, with what serves instead."""
        rejected: dict[str, str] = {}
        found = inputs.locate(named, rejected.__setitem__)
        folder = Path(str(named).rpartition("@")[0]) / "checkpoints"
        for name, reason in rejected.items():
            used = found and str(found)
            self.events.emit("rejected_checkpoint", path=str(folder / name), reason=reason, used=used)
        return found

    def _fetch(self, config: configuration.Config, held: int) -> None:
        """The weights of others that a stage begins with become its input `from`."""
        arguments = self.arguments
        if config.get("weights", None) is None:
            return
        self.events.state("preflight", "weights")
        with open(layout.node_log(arguments.run_dir, arguments.attempt, arguments.node), "ab") as log:
            self.fetching = fetching(arguments, held, log)
        said = self.fetching.communicate()[0].strip().rpartition("\n")[2]
        code, self.fetching = self.fetching.returncode, None
        if code != OK:
            unknown = "the weights could not be fetched; the log of the node says why"
            raise UserError(said or unknown, code if code in _OWN_CODES else FAILED)
        self.arguments = replace(arguments, inputs={**arguments.inputs, "from": Path(said)})

    def _supervise(self, config: configuration.Config, held: int) -> int:
        arguments = self.arguments
        kills_before = failure.count_oom_kills()
        reserve.keep(arguments)
        adopt_orphans()
        with open(layout.node_log(arguments.run_dir, arguments.attempt, arguments.node), "ab") as log:
            # Standard input is the lock: the one descriptor that every descendant inherits.
            child = subprocess.Popen(
                command(arguments, config),
                env=environment(arguments, config, preflight.count_gpus()),
                stdin=held,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.events.state("running", f"{arguments.nodes} x {arguments.procs} processes")
        if self.killed:
            end_descendants()
        returned = child.wait()
        end_descendants()
        if returned == OK and self.killed is None:
            return self._finish(OK, "finished", None)
        if self.killed is not None:
            return self._ended(self.killed)
        found = failure.find(arguments, returned, failure.count_oom_kills() - kills_before)
        if found.code == STOPPED:
            return self._finish(STOPPED, "stopped on request; a checkpoint was saved", None)
        # No rank could write down how it ended: on a full disk that is the reason, whatever torchrun made of it.
        if found.rank is None and found.code not in _OWN_CODES and reserve.is_full(arguments):
            found = replace(found, code=NO_SPACE, cause=f"no space is left for {arguments.run_dir}")
        return self._finish(found.code if found.code in _OWN_CODES else FAILED, found.cause, found)

    def _ended(self, killed: int) -> int:
        return self._finish(128 + killed, f"ended by {signal.Signals(killed).name}", None)

    def _finish(self, code: int, reason: str, found: failure.Failure | None) -> int:
        state = "cancelled" if self.killed else _STATES.get(code, "failed")
        reserve.give_back(self.arguments)
        if found is not None:
            self.events.emit("failure", **vars(found))
        if code not in (OK, STOPPED):
            print(f"error: {reason}", file=sys.stderr)
        self.events.state(state, reason, raw=f"exit {code}")
        if self.arguments.node == 0:
            summary = {"code": code, "state": state, "reason": reason, "failure": found and vars(found)}
            try:
                write_json(layout.exit_file(self.arguments.run_dir, self.arguments.attempt), summary)
            except OSError as error:
                print(f"could not write the exit file: {error}", file=sys.stderr)
        return code

    def _listen(self) -> None:
        signal.signal(signal.SIGUSR1, self._on_stop)
        signal.signal(signal.SIGTERM, self._on_stop)
        signal.signal(signal.SIGINT, self._on_kill)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _on_stop(self, number: int, frame: FrameType | None) -> None:
        """USR1, or the first TERM: save and leave. Programs that have nothing to save end at once on TERM."""
        if number == signal.SIGTERM:
            now = time.monotonic()
            # A scheduler may send one wish twice, to the process and to its group.
            repeated = self.term_at is not None and now - self.term_at > 2
            if repeated or self.fetching or self.arguments.program not in TRAINING:
                self._on_kill(number, frame)
                return
            self.term_at = self.term_at or now
        path = layout.stop_file(self.arguments.run_dir)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{signal.Signals(number).name} at {time.time():.3f}\n")

    def _on_kill(self, number: int, frame: FrameType | None) -> None:
        self.killed = number
        end_descendants()


def main() -> int:
    arguments = parse_node()
    try:
        return Node(arguments).run()
    except OSError as error:
        if not is_no_space(error):
            raise
        print(f"error: no space left for {arguments.run_dir}", file=sys.stderr)
        return NO_SPACE


if __name__ == "__main__":
    sys.exit(main())

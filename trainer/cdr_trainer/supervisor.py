"""The callback that decides, step by step, when to evaluate, save and stop; every rank decides alike."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from .agreement import Agreement
from .config import Config
from .events import Events


class Supervisor(TrainerCallback):
    """`stopped` after training: someone asked for it. `failed`: an expectation that was to hold does not."""

    def __init__(self, config: Config, events: Events, stop_file: Path | None, agreement: Agreement) -> None:
        self.config = config
        self.events = events
        self.stop_file = stop_file  # only where this rank watches it
        self.agreement = agreement
        self.stopped = False
        self.failed = False
        self.broken: str | None = None  # the expectation that is to end the run, as a sentence
        self.has_validation = False
        self._signalled = False
        self._saved_at = time.monotonic()
        self._install_handler()

    def _install_handler(self) -> None:
        """A worker process forked later inherits the handler, and must not act on it."""
        owner = os.getpid()

        def on_signal(number: int, frame: Any) -> None:
            self._signalled = self._signalled or os.getpid() == owner

        signal.signal(signal.SIGUSR1, on_signal)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        step, last = state.global_step, state.global_step >= self.config.length.steps
        self.events.progress(step, self.config.length.steps, "steps")
        agreed = self.agreement.exchange(self._wishes())
        every = self.config.checkpoint.every_steps
        if last or "save" in agreed or (every and step % every == 0):
            control.should_save = True
        if self.has_validation and (last or step % self.config.eval.every_steps == 0):
            control.should_evaluate = True
        if control.should_save and self.config.checkpoint.keep_best and self.has_validation:
            control.should_evaluate = True
        if agreed & {"stop", "fail"} and not last:
            self.stopped, self.failed = "fail" not in agreed, "fail" in agreed
            self.events.state("saving", "a stop was asked for" if self.stopped else "an expectation does not hold")
            control.should_save = control.should_training_stop = control.should_log = True
            control.should_evaluate = False
        if last:
            control.should_log = control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._saved_at = time.monotonic()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.agreement.close()

    def _wishes(self) -> set[str]:
        wishes = set()
        if self._signalled or (self.stop_file is not None and self.stop_file.exists()):
            wishes.add("stop")
        seconds = self.config.checkpoint.every_seconds
        # Only the rank that watches the stop file keeps the time: clocks of others may be ahead by a step.
        if seconds and self.stop_file is not None and time.monotonic() - self._saved_at >= seconds:
            wishes.add("save")
            self._saved_at = time.monotonic()
        if self.broken:
            wishes.add("fail")
        return wishes

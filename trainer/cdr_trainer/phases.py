"""Where the seconds of a step go: forward, backward, the optimizer, and all that lies between."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PHASES = ("forward", "backward", "optimizer", "other")
PAUSED = "paused"
_MOST_MARKS = 4096


class Phases:
    """One phase runs at a time; one that begins inside another interrupts it. On a GPU the device's own clock counts.

    On a CPU there is a second clock: the time that this thread itself computed. It takes part in all that is computed
    in parallel, and sleeps while it waits, so on a busy machine that clock says what an idle one would have needed.
    """

    def __init__(self, cuda: bool = False) -> None:
        self.cuda = cuda
        self._running = ["other"]
        self._totals: dict[str, tuple[float, float]] = {}
        self._marks: list[tuple[Any, str]] = []
        self.reset()

    def reset(self) -> None:
        """From here on."""
        self._totals = {}
        self._marks = [(self._now(), self._running[-1])]

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self.begin(name)
        try:
            yield
        finally:
            self.end()

    def begin(self, name: str) -> None:
        # What runs while training pauses is no training, whatever it is called.
        self._running.append(PAUSED if self._running[-1] == PAUSED else name)
        self._mark()

    def end(self) -> None:
        self._running.pop()
        self._mark()

    def within(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*words: Any, **named: Any) -> Any:
            with self.phase(name):
                return work(*words, **named)

        return measured

    def take(self, steps: int) -> dict[str, dict[str, float]]:
        """Mean seconds of a step by phase since the last time; what paused is left out."""
        self._mark()
        self._fold()
        totals, self._totals = self._totals, {}
        clocks = ("phases",) if self.cuda else ("phases", "computed")
        return {
            clock: {name: round(totals.get(name, (0.0, 0.0))[index] / max(1, steps), 6) for name in PHASES}
            for index, clock in enumerate(clocks)
        }

    def _mark(self) -> None:
        self._marks.append((self._now(), self._running[-1]))
        if len(self._marks) > _MOST_MARKS:
            self._fold()

    def _fold(self) -> None:
        if self.cuda:
            self._marks[-1][0].synchronize()
        for (began, name), (ended, _) in zip(self._marks, self._marks[1:], strict=False):
            passed, computed = self._totals.get(name, (0.0, 0.0))
            if self.cuda:
                self._totals[name] = passed + began.elapsed_time(ended) / 1000, 0.0
            else:
                self._totals[name] = passed + ended[0] - began[0], computed + ended[1] - began[1]
        self._marks = self._marks[-1:]

    def _now(self) -> Any:
        if not self.cuda:
            return time.perf_counter(), time.thread_time()
        import torch

        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

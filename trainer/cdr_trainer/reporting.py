"""What rank 0 writes while it trains: metrics, progress, a line per record, and the summary at the end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from .evaluation import perplexity
from .events import Events, append_line


class Reporter:
    """Times leave out evaluations and saves: `tokens_per_second` is the rate of training alone."""

    def __init__(self, run_dir: Path, events: Events, tokens_per_step: int, steps: int) -> None:
        self.path = run_dir / "metrics.jsonl" if events.path else None
        self.events = events
        self.tokens_per_step = tokens_per_step
        self.steps = steps
        self.first_loss: float | None = None
        self.last: dict[str, Any] = {}
        self.last_val: dict[str, Any] = {}
        self._started = self._mark = time.perf_counter()
        self.marked_step = 0
        self._paused = 0.0

    def start(self, step: int) -> None:
        """`step`: how many steps earlier attempts have done."""
        self._started = self._mark = time.perf_counter()
        self.marked_step = step

    def pause(self, seconds: float) -> None:
        """Time that was not spent on training since the last record."""
        self._paused += seconds

    def train(
        self,
        step: int,
        loss: float,
        lr: float,
        grad_norm: float | None,
        epoch: float,
        memory: int,
        parts: dict[str, Any],
    ) -> dict[str, Any]:
        now = time.perf_counter()
        elapsed = max(1e-9, now - self._mark - self._paused)
        rate = (step - self.marked_step) * self.tokens_per_step / elapsed
        record = {
            "step": step,
            "tokens": step * self.tokens_per_step,
            "loss": loss,
            "lr": lr,
            "grad_norm": grad_norm,
            "tokens_per_second": round(rate, 1),
            "seconds": round(now - self._started, 3),
            "epoch": round(epoch, 6),
            "memory": memory,
            **parts,
            "attempt": self.events.attempt,
        }
        self._mark, self.marked_step, self._paused = now, step, 0.0
        self.first_loss = loss if self.first_loss is None else self.first_loss
        self.last = record
        self._write(record)
        self._say(
            f"step {step:>6}/{self.steps}  loss {loss:.4f}  lr {lr:.3e}  "
            f"grad_norm {'-' if grad_norm is None else f'{grad_norm:.3f}'}  {rate:,.0f} tokens/s"
        )
        return record

    def validation(self, step: int, loss: float) -> dict:
        record = {
            "step": step,
            "tokens": step * self.tokens_per_step,
            "val_loss": loss,
            "val_perplexity": perplexity(loss),
            "seconds": round(time.perf_counter() - self._started, 3),
            "attempt": self.events.attempt,
        }
        self.last_val = record
        self._write(record)
        self._say(f"step {step:>6}/{self.steps}  val_loss {loss:.4f}")
        return record

    def summary(self) -> dict[str, Any]:
        """Of this attempt; printed and kept in `result/summary.json`."""
        ends = {"loss_start": self.first_loss, "loss_end": self.last.get("loss")}
        val = f", val_loss {self.last_val['val_loss']:.4f}" if self.last_val else ""
        if self.last:
            self._say(f"loss {self.first_loss:.4f} -> {self.last['loss']:.4f}{val} after {self.last['step']} steps")
        taken = {"step": self.last.get("step"), "tokens": self.last.get("tokens")}
        return taken | ends | {"val_loss": self.last_val.get("val_loss"), "attempt": self.events.attempt}

    def _write(self, record: dict[str, Any]) -> None:
        if self.path is not None:
            append_line(self.path, record)

    def _say(self, line: str) -> None:
        if self.path is not None:
            print(line, flush=True)

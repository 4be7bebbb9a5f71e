"""What Megatron prints, as records (megatron/training/training.py: training_log, evaluate_and_print_results)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TextIO

_STEP = re.compile(r"iteration +(\d+)/ *\d+ \|(.*)")
_FIELD = re.compile(r" *([^:|]+): +([^ |]+) *\|")
# The last one is said once more, "on validation set".
_VALIDATION = re.compile(r"validation loss at iteration (\d+) \| (?:lm )?loss value: (\S+)")
_SAVED = re.compile(r"successfully saved checkpoint from iteration +(\d+)")
_NAMES = {
    "consumed samples": "samples",
    "elapsed time per iteration (ms)": "milliseconds",
    "learning rate": "lr",
    "lm loss": "loss",
    "grad norm": "grad_norm",
    "number of skipped iterations": "skipped",
}


def read(line: str) -> dict[str, Any] | None:
    """A step, an evaluation or a checkpoint; `None` for anything else."""
    saved = _SAVED.search(line)
    if saved:
        return {"kind": "saved", "step": int(saved[1])}
    evaluated = _VALIDATION.search(line)
    if evaluated:
        loss = float(evaluated[2])
        perplexity = math.exp(min(loss, 700))
        return {"kind": "validation", "step": int(evaluated[1]), "val_loss": loss, "val_perplexity": perplexity}
    step = _STEP.search(line)
    if not step:
        return None
    fields = {name.strip(): float(value) for name, value in _FIELD.findall(step[2]) if _is_number(value)}
    named = {ours: fields[theirs] for theirs, ours in _NAMES.items() if theirs in fields}
    if "milliseconds" not in named:
        return None
    counts = {name: int(named.get(name, 0)) for name in ("samples", "skipped")}
    return {"kind": "step", "step": int(step[1]), **named, **counts}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def without_first(line: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    """The second line of a start, as the mean of what came after the first.

    Megatron prints its first iteration beside the log's rhythm and leaves it in the sums of the next line
    (training_log: `should_reset`), so that a run that was stopped would tell of other losses than one that was not.
    """
    steps = line["step"] - first["step"] + 1
    moved, moved_first = steps - line["skipped"], 1 - first["skipped"]
    mean = dict(line)
    if steps > 1:
        mean["milliseconds"] = (steps * line["milliseconds"] - first["milliseconds"]) / (steps - 1)
    if moved > moved_first and "loss" in line and "loss" in first:
        # As many digits as are printed.
        mean["loss"] = float(f"{(moved * line['loss'] - moved_first * first['loss']) / (moved - moved_first):.6E}")
    return mean


class Words:
    """A text stream that hands on whole lines as they are written."""

    def __init__(self, stream: TextIO, hear: Callable[[str], None]) -> None:
        self._stream, self._hear, self._line = stream, hear, ""

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._hear(line)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

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
    return {"kind": "step", "step": int(step[1]), **named, "samples": int(named.get("samples", 0))}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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

"""Formulas over the metrics that watch a run, such as `expect loss.at(10_000 steps) <= 3.2 else warn`."""

from __future__ import annotations

import math
import operator
from typing import Any

from .config import Config

_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}


class Expectations:
    """Each is judged at every record that has its metric, or once: at the first at or after its step."""

    def __init__(self, expectations: list[Config]) -> None:
        self._waiting = list(expectations)

    def judge(self, record: dict[str, Any]) -> list[tuple[Config, str]]:
        """Those that `record` breaks, each with a sentence. A broken one is not judged again."""
        broken = []
        for one in list(self._waiting):
            value = record.get(one.metric)
            if value is None or (one.at_step is not None and record["step"] < one.at_step):
                continue
            holds = math.isfinite(value) and _OPERATORS[one.op](value, one.value)
            if not holds:
                broken.append(
                    (one, f"`{one.source}` does not hold: {one.metric} is {value:g} at step {record['step']}")
                )
            if not holds or one.at_step is not None:
                self._waiting.remove(one)
        return broken

"""All ranks act at the same step: what any of them wants is known to all one step later.

The exchange is started at one step and read at the next, so no rank ever waits for another because of it.
"""

from __future__ import annotations

from typing import Any

WISHES = ("stop", "save", "fail")


class Agreement:
    """`group` is a gloo process group over all ranks, or `None` for a lone process."""

    def __init__(self, group: Any) -> None:
        self.group = group
        self._pending: tuple[Any, Any] | None = None

    def exchange(self, wishes: set[str]) -> set[str]:
        """Hands in this rank's wishes and returns what the ranks together wished one step earlier."""
        if self.group is None:
            return wishes
        import torch
        import torch.distributed as dist

        before = self._collect()
        flags = torch.tensor([int(name in wishes) for name in WISHES], dtype=torch.int32)
        self._pending = dist.all_reduce(flags, op=dist.ReduceOp.MAX, group=self.group, async_op=True), flags
        return before

    def _collect(self) -> set[str]:
        if self._pending is None:
            return set()
        work, flags = self._pending
        work.wait()
        self._pending = None
        return {name for name, flag in zip(WISHES, flags.tolist()) if flag}

    def close(self) -> None:
        """Ends the exchange that is under way, which every rank has started."""
        self._collect()

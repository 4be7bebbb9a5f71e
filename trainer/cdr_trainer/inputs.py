"""Inputs as a launcher names them: `RUN_DIR@result`, `RUN_DIR@last`, `RUN_DIR@best`, or plainly a directory."""

from __future__ import annotations

from pathlib import Path

from . import checkpoints


def locate(named: Path) -> Path | None:
    """The directory that an input means by now; `None` while there is none."""
    text, at, which = str(named).rpartition("@")
    if not at or which not in ("result", "last", "best"):
        return named if named.is_dir() else None
    run_dir = Path(text)
    if which == "result":
        result = run_dir / "result"
        return result if result.is_dir() else None
    return checkpoints.newest_valid(run_dir) if which == "last" else _best(run_dir)


def _best(run_dir: Path) -> Path | None:
    """The valid checkpoint with the lowest `val_loss`; the newest where nothing was evaluated."""
    valid = [checkpoints.load(path) for path in checkpoints.present(run_dir) if checkpoints.verify(path) is None]
    measured = [one for one in valid if one.val_loss is not None]
    if not measured:
        return valid[0].path if valid else None
    return min(measured, key=lambda one: (one.val_loss, one.step)).path

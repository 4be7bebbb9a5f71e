"""Where things are in a run directory (docs/run-protocol.md)."""

from __future__ import annotations

from pathlib import Path


def log_file(run_dir: Path, attempt: int, node: int, rank: int, stream: str) -> Path:
    """`stream` is `out` or `err`."""
    return run_dir / "logs" / f"a{attempt}" / f"{node}-{rank}.{stream}"


def node_log(run_dir: Path, attempt: int, node: int) -> Path:
    return run_dir / "logs" / f"a{attempt}" / f"node-{node}.log"


def stop_file(run_dir: Path) -> Path:
    return run_dir / "control" / "stop"


def rank_record(run_dir: Path, attempt: int, rank: int) -> Path:
    """What a rank says of its end: a rank that was killed leaves one without a code."""
    return run_dir / "control" / f"a{attempt}" / f"rank-{rank}.json"


def torchrun_record(run_dir: Path, attempt: int, node: int) -> Path:
    """What torchrun saw of the ranks that failed."""
    return run_dir / "control" / f"a{attempt}" / f"torchrun-{node}.json"


def exit_file(run_dir: Path, attempt: int) -> Path:
    return run_dir / "exit" / f"a{attempt}.json"


def artefacts(directory: Path) -> Path:
    """The folder with a step's results, given that step's run directory or the results themselves."""
    return directory / "result" if (directory / "result").is_dir() else directory

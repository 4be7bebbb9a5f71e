"""Where DeepSpeed's own monitors write: into the run, unless its configuration names a place by its whole path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

_FOLDERS = {"tensorboard": "tensorboard", "csv_monitor": "csv"}
_WRITTEN = {"train_loss": "loss", "grad_norm": "grad_norm", "tokens_per_second": "tokens_per_second"}
# Packages that each imports, under Python's names.
_PACKAGES = {"tensorboard": "tensorboard", "wandb": "wandb", "comet": "comet_ml"}


def within(engine: dict[str, Any] | None, run_dir: Path) -> None:
    """The engine takes paths by the folder that its ranks were started in, which is nobody's."""
    for name, folder in _FOLDERS.items():
        section = (engine or {}).get(name) or {}
        if section.get("enabled"):
            section["output_path"] = os.path.join(run_dir, section.get("output_path") or folder)


def write(engine: Any, samples: int, record: dict[str, Any]) -> None:
    """What the trainer logs: the engine itself writes the learning rate, and times where it measures them."""
    if engine.monitor.enabled:
        engine.monitor.write_events(
            [(f"Train/Samples/{name}", record[key], samples) for name, key in _WRITTEN.items() if key in record]
        )


def packages_of(engine: dict[str, Any]) -> list[str]:
    return [package for name, package in _PACKAGES.items() if (engine.get(name) or {}).get("enabled")]

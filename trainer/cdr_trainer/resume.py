"""What a stage starts from: its own newest valid checkpoint, another step's weights, or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import checkpoints
from .config import Config
from .errors import UserError
from .files import read_json
from .inputs import checkpoint

# What decides the next step besides the state that is saved: a checkpoint taken under another value cannot be
# continued exactly.
_MUST_MATCH = {
    "world": "processes",
    "engine": "engine",
    "zero_stage": "ZeRO stage",
    "context_parallel": "ranks that share a sequence",
    "sharding": "sharding (stage, ranks)",
    "tuning": "what is trained (adapters, frozen layers, tables, parameters)",
    "precision": "precision",
    "parameters": "parameters",
    "batch": "batch (micro, accumulation, sequence)",
    "data": "data fingerprint",
    "seed": "seed",
}


def check_exact(path: Path, facts: dict[str, Any]) -> None:
    """Refuses a checkpoint from which this run could not go on exactly as it would have."""
    manifest = read_json(path / checkpoints.MANIFEST)
    differences = [
        f"{label} {manifest.get(key)} then, {facts[key]} now"
        for key, label in _MUST_MATCH.items()
        if manifest.get(key) != facts[key]
    ]
    if differences:
        raise UserError(
            f"{path.name} cannot be continued exactly: {'; '.join(differences)}. Run with the former values, or say "
            '`resume: "weights"` to start from its weights'
        )


def refuse_if_present(run_dir: Path) -> None:
    """For `resume: never`."""
    found = checkpoints.present(run_dir)
    if found:
        raise UserError(f'this run has a checkpoint ({found[0].name}) and is `resume: "never"`; start a new run')


def other_steps_weights(config: Config, inputs: dict[str, Path]) -> Path | None:
    """The checkpoint that the input `from` names."""
    return checkpoint(inputs, "from") if config.from_input else None

"""What a stage starts from: its own newest valid checkpoint, another step's weights or others', or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import checkpoints, universal
from .arguments import ProgramArguments
from .config import Config
from .errors import UserError
from .files import read_json
from .inputs import checkpoint
from .rank import global_rank

# What decides the next step besides the state that is saved: a checkpoint taken under another value cannot be
# continued exactly.
_MUST_MATCH = {
    "world": "processes",
    "engine": "engine",
    "zero_stage": "ZeRO stage",
    "context_parallel": "ranks that share a sequence",
    "pipeline_parallel": "ranks that share the layers",
    "expert_parallel": "ranks that share the experts",
    "sharding": "sharding (stage, ranks)",
    "tuning": "what is trained (adapters, frozen layers, tables, parameters)",
    "precision": "precision",
    "parameters": "parameters",
    "batch": "batch (micro, accumulation, sequence)",
    "data": "data fingerprint",
    "seed": "seed",
}


def check_exact(path: Path, facts: dict[str, Any], may_differ: tuple[str, ...] = ()) -> None:
    """Refuses a checkpoint from which this run could not go on exactly as it would have."""
    manifest = read_json(path / checkpoints.MANIFEST)
    different = [key for key in _MUST_MATCH if key not in may_differ and manifest.get(key) != facts[key]]
    if not different:
        return
    said = "; ".join(f"{_MUST_MATCH[key]} {manifest.get(key)} then, {facts[key]} now" for key in different)
    sharded = manifest.get("zero_stage") and facts["zero_stage"]
    moves = sharded and not may_differ and set(different) <= set(universal.MOVES)
    raise UserError(
        f"{path.name} cannot be continued exactly: {said}. Run with the former values, or say "
        '`resume: "weights"` to start from its weights'
        + ("; with `checkpoint.load_universal` DeepSpeed takes up moments too" if moves else "")
    )


@dataclass(frozen=True)
class Start:
    """The folder that the Trainer goes on from, and the step of it."""

    folder: Path
    step: int


def going_on(
    config: Config,
    arguments: ProgramArguments,
    own: Path | None,
    trainer: Any,
    agreed: Callable[[Path | None], Path | None],
) -> Start | None:
    """Where training goes on with every state: this run's checkpoint, or another step's whose states are taken up."""
    found = own if config.resume == "exact" else None
    asked = universal.is_asked(trainer.args)
    if found is None and own is None and asked:
        found = given_weights(config, arguments.inputs)
    if found is None:
        return None
    moved = asked and universal.moved(found, trainer.facts)
    check_exact(found, trainer.facts, universal.MOVES if moved else ())
    if asked:
        universal.read_from(trainer, moved)
    folder: Path | None = found
    if moved:
        universal.check(found, trainer.facts)
        made = universal.convert(found, arguments.run_dir) if global_rank() == 0 else None
        folder = agreed(made)
    return Start(folder or found, checkpoints.load(found).step)


def refuse_if_present(run_dir: Path) -> None:
    """For `resume: never`."""
    found = checkpoints.present(run_dir)
    if found:
        raise UserError(f'this run has a checkpoint ({found[0].name}) and is `resume: "never"`; start a new run')


def given_weights(config: Config, inputs: dict[str, Path]) -> Path | None:
    """What the input `from` names: another step's checkpoint, or the folder of weights that others trained."""
    if not config.from_input:
        return None
    if config.get("weights", None) is None:
        return checkpoint(inputs, "from")
    if "from" not in inputs:
        raise UserError(
            "no `--input from=DIR` was given: `python -m cdr_trainer.weights` prints the folder of the weights"
        )
    return inputs["from"]

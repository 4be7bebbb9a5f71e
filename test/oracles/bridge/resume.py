"""Which checkpoint the installed Megatron Bridge takes, of a run that the training program has looked over, and for a stage after it.

Reads nothing and prints one JSON object. Checkpoints are written as `save_checkpoint` does, but for the shards: the state beside
them, a copy of it above them, then Megatron's file. The third is damaged, the fourth was not finished.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import absent
import transformers  # noqa: F401  (it asks which of the absent packages are there)

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "trainer"))


def save(folder: Path, step: int, finished: bool = True) -> None:
    import torch
    from megatron.bridge.training.state import TrainState
    from megatron.bridge.training.utils import checkpoint_utils as names

    own = Path(names.get_checkpoint_name(str(folder), step))
    own.mkdir(parents=True)
    (own / "__0_0.distcp").write_bytes(bytes([step]) * 64)
    state = TrainState(step=step, consumed_train_samples=4 * step)
    torch.save(state.state_dict(), names.get_checkpoint_train_state_filename(str(own)))
    shutil.copy(
        names.get_checkpoint_train_state_filename(str(own)),
        names.get_checkpoint_train_state_filename(str(folder), prefix=names.TRACKER_PREFIX),
    )
    if finished:
        Path(names.get_checkpoint_tracker_filename(str(folder))).write_text(str(step))


def taken(folder: Path) -> dict[str, Any]:
    """What it would load from a folder."""
    from megatron.bridge.training.checkpointing import _resolve_checkpoint_iteration
    from megatron.bridge.training.utils import checkpoint_utils as names

    step, _ = _resolve_checkpoint_iteration(str(folder), None)
    own = names.get_checkpoint_name(str(folder), step)
    state = names.read_train_state(names.get_checkpoint_train_state_filename(own))
    return {"step": step, "samples": state.consumed_train_samples, "exists": names.checkpoint_exists(str(folder))}


def keeper(run_dir: Path) -> Any:
    from cdr_trainer.megatron_checkpoints import Keeper

    batch = SimpleNamespace(global_batch=4, sequence=8)
    return Keeper(run_dir, 0, SimpleNamespace(world=1, batch=batch, checkpoint=SimpleNamespace(keep_last=None, keep_best=None)))


def main() -> None:
    from cdr_trainer import checkpoints
    from cdr_trainer.megatron_checkpoints import offer

    with tempfile.TemporaryDirectory() as place:
        run_dir = Path(place) / "run"
        folder = checkpoints.folder(run_dir)
        first = keeper(run_dir)
        for step in (1, 2, 3):
            save(folder, step)
            first.adopt(step)
        first.finish()
        (folder / "iter_0000003" / "__0_0.distcp").write_bytes(b"x" * 64)
        save(folder, 4, finished=False)
        keeper(run_dir).mend()
        after = offer(Path(place) / "after", folder / checkpoints.name_of(1)) / "checkpoints"
        print(json.dumps({"own": taken(folder), "after": taken(after)}))


if __name__ == "__main__":
    absent.imagine()
    main()

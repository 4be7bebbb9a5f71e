"""How a stage's checkpoints are written, all of one or nothing, and read again."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from accelerate.utils import save_fsdp_optimizer
from transformers import Trainer

from . import checkpoints, expert_ranks, universal
from .config import Config
from .errors import NO_SPACE, UserError, is_no_space
from .phases import PAUSED, Phases
from .reporting import Reporter
from .sharding import whole_weights


class SavingTrainer(Trainer):
    """What it saves and where is its heir's to say."""

    config: Config
    reporter: Reporter
    phases: Phases
    group: Any
    facts: dict[str, Any]
    tokenizer_files: list[Path]
    kept: list[checkpoints.Checkpoint]
    _has_adapters: bool
    _expert_layers: list[Any]
    _decays: list[float]
    _evaluated: tuple[int, float] | None = None

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """A save that fails leaves no half-written checkpoint, and says so when the disk is full."""
        staging = checkpoints.staging_path(self.facts["run_dir"], self.state.global_step)
        try:
            with self.phases.phase(PAUSED):
                self._save_all(staging)
        except Exception as error:
            free = shutil.disk_usage(self.facts["run_dir"]).free
            if self.is_world_process_zero():
                shutil.rmtree(staging, ignore_errors=True)
            # torch's writer does not say why it could not write.
            if is_no_space(error) or ("inline_container" in str(error) and free < 16 * self.facts["parameters"]):
                where = f"{self.facts['run_dir']} while saving step {self.state.global_step}"
                raise UserError(f"no space left on the disk of {where}; free some and resume", NO_SPACE) from error
            raise

    def _save_all(self, staging: Path) -> None:
        """Everything into a staging directory; the checkpoint is there once that has its manifest and its name."""
        began = time.perf_counter()
        step = self.state.global_step
        if self.is_world_process_zero():
            shutil.rmtree(staging, ignore_errors=True)
            staging.mkdir(parents=True)
        self._barrier()
        self._save_weights(str(staging))
        self._save_optimizer_and_scheduler(str(staging))
        self._save_scaler(str(staging))
        self._save_rng_state(str(staging))
        if self.is_world_process_zero():
            self.state.save_to_json(str(staging / "trainer_state.json"))
            for path in self.tokenizer_files:
                shutil.copyfile(path, staging / path.name)
        self._barrier()
        files = self._digests(staging)
        if self.is_world_process_zero():
            self._commit(staging, step, files, began)
        self._barrier()
        self.reporter.pause(time.perf_counter() - began)

    def _digests(self, staging: Path) -> dict[str, dict[str, Any]]:
        """The files are shared out over the ranks."""
        world, rank = self.args.world_size, self.args.process_index
        mine = {name: checkpoints.digest(staging / name, True) for name in checkpoints.contents(staging)[rank::world]}
        if self.group is None:
            return mine
        parts: list[dict[str, Any]] = [{}] * world
        dist.all_gather_object(parts, mine, group=self.group)
        return dict(sorted((name, facts) for part in parts for name, facts in part.items()))

    def _commit(self, staging: Path, step: int, files: dict[str, dict[str, Any]], began: float) -> None:
        val_loss = self._evaluated[1] if self._evaluated and self._evaluated[0] == step else None
        known = {key: value for key, value in self.facts.items() if key != "run_dir"}
        facts = {"step": step, "tokens": step * self.reporter.tokens_per_step, "val_loss": val_loss}
        path = checkpoints.commit(staging, facts | known, files)
        keep = self.config.checkpoint
        self.kept = [one for one in self.kept if one.step != step] + [checkpoints.Checkpoint(path, step, val_loss)]
        run_dir = path.parent.parent
        self.kept = checkpoints.retain(run_dir, self.kept, keep.keep_last, keep.keep_best is not None)
        self.reporter.events.emit(
            "checkpoint",
            step=step,
            path=path.relative_to(run_dir).as_posix(),
            bytes=sum(entry["bytes"] for entry in files.values()),
            seconds=round(time.perf_counter() - began, 3),
        )

    def _save_weights(self, folder: str) -> None:
        if self.is_fsdp_enabled:
            self._save(folder, whole_weights(self.model, self._has_adapters))
        elif self._expert_layers:
            self._save(folder, expert_ranks.whole_weights(self.model, self._expert_layers))
        else:
            self.save_model(folder, _internal_call=True)

    def _save_optimizer_and_scheduler(self, output_dir: str) -> None:
        """Of a sharded model the weights are saved already: the Trainer would write them once more, as shards."""
        if not self.is_fsdp_enabled:
            super()._save_optimizer_and_scheduler(output_dir)
            return
        save_fsdp_optimizer(
            self.accelerator.state.fsdp_plugin, self.accelerator, self.optimizer, self.model, output_dir
        )
        if self.args.should_save:
            torch.save(self.lr_scheduler.state_dict(), Path(output_dir) / "scheduler.pt")

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is not None and self.is_deepspeed_enabled and self.model_wrapped.load_universal_checkpoint():
            universal.mend(self.optimizer, self._decays)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        """A sharded model was built from the checkpoint's weights, before it was cut; adapters took theirs too."""
        if not self.is_fsdp_enabled and not self._has_adapters:
            super()._load_from_checkpoint(resume_from_checkpoint, model)

    def _save(self, output_dir: str | None = None, state_dict: dict | None = None) -> None:
        """Weights as safetensors and the model's configuration, by rank 0; of a model with adapters these alone."""
        if self.args.should_save:
            alone = {"save_embedding_layers": False} if self._has_adapters else {}
            self.model.save_pretrained(output_dir, state_dict=state_dict, **alone)

    def _barrier(self) -> None:
        if self.group is not None:
            dist.barrier(group=self.group)

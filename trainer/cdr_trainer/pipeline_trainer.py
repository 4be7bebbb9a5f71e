"""The loop of a stage whose layers are shared out: DeepSpeed's `PipelineEngine` takes a whole step at once."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import deepspeed
import torch
from deepspeed.runtime.pipe import schedule
from deepspeed.runtime.utils import clip_grad_norm_
from transformers import TrainerState

from . import monitors
from .dataset import RankBatches, collate
from .errors import UserError
from .evaluation import mean_loss
from .pipeline import cut
from .pipeline_weights import save_part
from .stage_trainer import StageTrainer
from .stages import stages_of

_PHASES = {
    schedule.ForwardPass: "forward",
    schedule.BackwardPass: "backward",
    schedule.OptimizerStep: "optimizer",
}


class PipelineTrainer(StageTrainer):
    """`engine` is DeepSpeed's own configuration."""

    def __init__(self, model: Any, engine: dict[str, Any], **kwargs: Any) -> None:
        self.stage = cut(model, stages_of(kwargs["config"]))
        kwargs["facts"]["zero_stage"] = engine.get("zero_optimization", {}).get("stage", 0)
        super().__init__(model=self.stage.module, **kwargs)
        monitors.within(engine, kwargs["facts"]["run_dir"])
        adam = self.create_optimizer()
        self.engine, *_ = deepspeed.initialize(
            model=self.stage.module, optimizer=adam, lr_scheduler=self.create_scheduler(0, adam), config=engine
        )
        self.optimizer = self.engine.optimizer
        self._norm: Any = None
        self.engine.clip_fp32_gradients = self._clip
        # Each replica's evaluations are its own: they are weighed by their rows.
        self.engine._reduce_outputs = functools.partial(self.engine._reduce_outputs, reduce_dp=False)
        grid = self.engine.grid
        self.replicas, self.replica = grid.data_parallel_size, grid.data_parallel_id
        self.engine._INSTRUCTION_MAP = {
            kind: self.phases.within(_PHASES[kind], work) if kind in _PHASES else work
            for kind, work in self.engine._INSTRUCTION_MAP.items()
        }

    def train(self, resume_from_checkpoint: str | None = None) -> None:
        if resume_from_checkpoint:
            self._go_on(Path(resume_from_checkpoint))
        length = self.config.length.steps
        self.state.max_steps, self.state.logging_steps = length, self.config.log.every_steps
        self.state.is_world_process_zero = self.is_world_process_zero()
        self.state.is_local_process_zero = self.is_local_process_zero()
        first = self.state.global_step
        batches = self._micro_batches(first)
        losses: list[torch.Tensor] = []
        self.control = self.callback_handler.on_train_begin(self.args, self.state, self.control)
        for _ in range(first, length):
            self.control = self.callback_handler.on_step_begin(self.args, self.state, self.control)
            rate = self.lr_scheduler.get_last_lr()[0]
            losses.append(self.engine.train_batch(batches).detach().float())
            self.state.global_step += 1
            self.control = self.callback_handler.on_step_end(self.args, self.state, self.control)
            if self.control.should_log:
                loss = float(torch.stack(losses).mean())
                self.log({"loss": loss, "grad_norm": self._gradient_norm(), "learning_rate": rate})
                losses = []
            if self.control.should_evaluate:
                self._evaluate(None, None)
            if self.control.should_save:
                self._save_checkpoint(self.model, None)
                self.control = self.callback_handler.on_save(self.args, self.state, self.control)
            if self.control.should_training_stop:
                break
        self.control = self.callback_handler.on_train_end(self.args, self.state, self.control)

    def _micro_batches(self, first: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Those of this replica from a step on: its first stage reads the tokens, its last one the labels."""
        batch = self.config.batch
        every = RankBatches(
            self.config.length.steps, batch.accumulation, self.replicas, self.replica, batch.micro_batch
        )
        for rows in itertools.islice(iter(every), first * batch.accumulation, None):
            block = collate([self.train_dataset[row] for row in rows])
            yield block["input_ids"], block["labels"]

    def _clip(self) -> None:
        """As DeepSpeed does where its optimizer wraps nothing, which forgets the norm."""
        self._norm = clip_grad_norm_(
            parameters=self.engine.module.parameters(), max_norm=self.engine.gradient_clipping(), mpu=self.engine.mpu
        )

    def _gradient_norm(self) -> float | None:
        found = self.engine.get_global_grad_norm()
        found = self._norm if found is None else found
        return None if found is None else float(found)

    def _go_on(self, checkpoint: Path) -> None:
        found, _ = self.engine.load_checkpoint(str(checkpoint))
        if found is None:
            raise UserError(f"{checkpoint.name} has no state of DeepSpeed's")
        self.state = TrainerState.load_from_json(str(checkpoint / "trainer_state.json"))
        self._load_rng_state(str(checkpoint))

    # Evaluation

    def _mean_loss(self) -> float:
        batch = self.config.batch
        return mean_loss(
            self._loss_of,
            self.validation,
            batch.sequence,
            batch.micro_batch,
            self.config.eval.batches,
            self.args.device,
            self.group,
            (self.replicas, self.replica),
        )

    def _loss_of(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        """Of one batch of this replica. The last batch may have fewer rows than those before."""
        self.engine.reset_activation_shape()
        loss = self.engine.eval_batch(iter([(inputs["input_ids"], inputs["labels"])]), num_micro_batches=1)
        self.engine.reset_activation_shape()
        return loss.reshape(())

    # Checkpoints

    def _save_weights(self, folder: str) -> None:
        """Each stage writes its part of the model in the layout of Hugging Face."""
        stage = self.engine.stage_id
        save_part(folder, self.stage.saved, stage, self.engine.num_stages, self.replica == 0, self.group)
        if self.args.should_save:
            for settings in self.stage.settings:
                settings.save_pretrained(folder)

    def _save_optimizer_and_scheduler(self, output_dir: str) -> None:
        self.engine.save_checkpoint(output_dir)

    def _save_scaler(self, output_dir: str) -> None:
        """DeepSpeed's own, saved with the optimizer."""

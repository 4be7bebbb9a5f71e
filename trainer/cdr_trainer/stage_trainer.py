"""`transformers.Trainer` with this project's data order, optimizer groups, schedule, metrics and checkpoints."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader
from transformers.trainer_callback import PrinterCallback

from . import checkpoints, expert_ranks, monitors, schedule
from .config import Config
from .dataset import PackedDataset, RankBatches, collate
from .errors import UserError
from .evaluation import mean_loss
from .expectations import Expectations
from .held import held, peak_resident
from .optimizer import decay_groups
from .phases import PAUSED, Phases
from .reporting import Reporter
from .saving_trainer import SavingTrainer
from .supervisor import Supervisor
from .tuning import has_adapters
from .ulysses import Slices, added_up, sequence_ranks


class StageTrainer(SavingTrainer):
    """One stage. `group` is a gloo group over all ranks, or `None` for a lone process."""

    def __init__(
        self,
        config: Config,
        supervisor: Supervisor,
        reporter: Reporter,
        group: Any,
        validation: np.ndarray | None,
        facts: dict[str, Any],
        tokenizer_files: list[Path],
        kept: list[checkpoints.Checkpoint],
        runtime: int,
        **kwargs: Any,
    ) -> None:
        self.sequence_ranks = sequence_ranks(config)
        super().__init__(callbacks=[supervisor], data_collator=collate, **kwargs)
        if self.sequence_ranks > 1:
            self.data_collator = Slices(self.args.process_index, self.sequence_ranks)
        self.remove_callback(PrinterCallback)
        self.config, self.supervisor, self.reporter, self.group = config, supervisor, reporter, group
        self.validation = validation
        self.facts, self.tokenizer_files, self.kept = facts, tokenizer_files, kept
        self.expectations = Expectations(config.expectations)
        self._has_adapters = has_adapters(config)
        self._added_up = added_up(config, facts["zero_stage"])
        self.model_accepts_loss_kwargs = False
        self.phases = Phases(torch.cuda.is_available())
        self._runtime, self._held = runtime, {}
        shares = expert_ranks.expert_ranks(config) > 1
        self._expert_layers = expert_ranks.layers_of(self.model, self.args.deepspeed) if shares else []
        supervisor.has_validation = validation is not None

    # Data

    def get_train_dataloader(self) -> DataLoader:
        """This rank's share already: Accelerate must not split it. Its own generator spares the global one."""
        batch = self.config.batch
        batches = RankBatches(
            self.config.length.steps,
            batch.accumulation,
            self.args.world_size // self.sequence_ranks,
            self.args.process_index // self.sequence_ranks,
            batch.micro_batch,
        )
        return DataLoader(
            self.train_dataset,
            batch_sampler=batches,
            collate_fn=self.data_collator,
            pin_memory=self.args.dataloader_pin_memory,
            generator=torch.Generator(),
        )

    # Model and optimizer

    def create_accelerator_and_postprocess(self) -> None:
        """The Trainer accumulates by itself and tells Accelerate of one step; DeepSpeed's file contradicts that."""
        super().create_accelerator_and_postprocess()
        if self.is_deepspeed_enabled:
            self.accelerator.gradient_accumulation_steps = self.args.gradient_accumulation_steps
        # Samples come to the ranks cut already.
        self.accelerator.deepspeed_ulysses_dl_adapter = lambda loader, _: loader

    def training_step(self, model: Any, inputs: dict[str, Any], num_items_in_batch: Any = None) -> torch.Tensor:
        """Forward and backward of a micro-batch, timed; DeepSpeed steps its optimizer in its backward."""
        if self.is_deepspeed_enabled and "step" not in vars(model):
            model.step = self.phases.within("optimizer", model.step)
        with self.phases.phase("backward"):
            return super().training_step(model, inputs, num_items_in_batch) * self._added_up

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Mean cross-entropy of a micro-batch, in nats per token; the labels are shifted already."""
        labels = inputs["labels"]
        with self.phases.phase("forward"):
            outputs = model(**inputs, shift_labels=labels, use_cache=False)
        loss = outputs.loss / self._added_up if self.model.training else outputs.loss
        return (loss, outputs) if return_outputs else loss

    def floating_point_ops(self, inputs: dict[str, Any]) -> int:
        """Counting them walks over all parameters at every micro-batch, and nothing here reads the count."""
        return 0

    def create_optimizer(self, model: Any = None) -> torch.optim.Optimizer:
        if self.optimizer is None:
            settings = self.config.optimizer
            model = self.model if model is None else model
            groups = decay_groups(model, settings.weight_decay)
            if self._expert_layers:
                ranks = expert_ranks.expert_ranks(self.config)
                groups = expert_ranks.apart(groups, model, self._expert_layers, ranks)
            self.optimizer = torch.optim.AdamW(
                groups,
                lr=settings.lr,
                betas=tuple(settings.betas),
                eps=settings.eps,
                fused=True,
            )
            self._decays = [group["weight_decay"] for group in self.optimizer.param_groups]
            self.optimizer.register_step_pre_hook(lambda *_: self.phases.begin("optimizer"))
            self.optimizer.register_step_post_hook(lambda *_: self.phases.end())
        return self.optimizer

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> LambdaLR:
        if self.lr_scheduler is None:
            steps, plan = self.config.length.steps, self.config.schedule
            self.lr_scheduler = LambdaLR(optimizer or self.optimizer, lambda step: schedule.share(step, steps, plan))
            self._created_lr_scheduler = True
        return self.lr_scheduler

    def _get_grad_norm(self, model: Any, grad_norm: Any = None) -> Any:
        """Left on the device: it is read only at the steps that are logged."""
        if grad_norm is None:
            grad_norm = self.accelerator.clip_grad_norm_(model.parameters(), float("inf"))
        return grad_norm

    # Metrics

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """All ranks come here with the mean loss of all; rank 0 writes."""
        if "learning_rate" not in logs:
            return
        step, loss = self.state.global_step, logs["loss"]
        dataset: PackedDataset = self.train_dataset
        epoch = step * self.config.batch.global_batch / dataset.windows
        memory = self._greatest_memory()
        self._held = self._held or held(self.model, self.optimizer, self._runtime)
        parts = {"held": self._held, **self.phases.take(step - self.reporter.marked_step)}
        record = self.reporter.train(step, loss, logs["learning_rate"], logs.get("grad_norm"), epoch, memory, parts)
        if not math.isfinite(loss) and self.config.precision != "fp16":
            raise UserError(
                f"the loss is {loss} at step {step}: training has diverged. Lower `lr`, warm up longer or clip "
                "gradients; the last checkpoint is from before"
            )
        self._judge(record)
        if self.is_deepspeed_enabled:
            monitors.write(self.model_wrapped, step * self.config.batch.global_batch, record)
        self.control = self.callback_handler.on_log(self.args, self.state, self.control, {**logs, "epoch": epoch})

    def _judge(self, record: dict[str, Any]) -> None:
        for broken, sentence in self.expectations.judge(record):
            self.reporter.events.warning(sentence)
            if broken.otherwise == "stop":
                self.supervisor.broken = self.supervisor.broken or sentence

    def _greatest_memory(self) -> int:
        """Largest peak of any rank in bytes."""
        peak = torch.cuda.max_memory_allocated() if torch.cuda.is_available() else peak_resident()
        if self.group is None:
            return peak
        largest = torch.tensor(peak, dtype=torch.int64)
        dist.all_reduce(largest, op=dist.ReduceOp.MAX, group=self.group)
        return int(largest)

    def _evaluate(self, trial: Any, ignore_keys_for_eval: Any, skip_scheduler: bool = False) -> dict[str, float]:
        with self.phases.phase(PAUSED):
            return self._validate()

    def _validate(self) -> dict[str, float]:
        began = time.perf_counter()
        loss = self._mean_loss()
        self._evaluated = self.state.global_step, loss
        self.reporter.pause(time.perf_counter() - began)
        record = self.reporter.validation(self.state.global_step, loss)
        self._judge(record)
        metrics = {"eval_loss": loss}
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def _mean_loss(self) -> float:
        """Of the validation part, over all ranks."""
        model = self.model_wrapped if self.is_deepspeed_enabled else self.model
        model.eval()
        batch = self.config.batch
        loss = mean_loss(
            lambda inputs: self.compute_loss(model, inputs),
            self.validation,
            batch.sequence,
            batch.micro_batch,
            self.config.eval.batches,
            self.args.device,
            self.group,
        )
        model.train()
        return loss

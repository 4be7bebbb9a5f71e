"""`transformers.Trainer` with this project's data order, optimizer groups, schedule, metrics and checkpoints."""

from __future__ import annotations

import math
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from accelerate.utils import save_fsdp_optimizer
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader
from transformers import Trainer
from transformers.trainer_callback import PrinterCallback

from . import checkpoints, expert_ranks, monitors, schedule, universal
from .config import Config
from .dataset import PackedDataset, RankBatches, collate
from .errors import NO_SPACE, UserError, is_no_space
from .evaluation import mean_loss
from .expectations import Expectations
from .held import held, peak_resident
from .optimizer import decay_groups
from .phases import PAUSED, Phases
from .reporting import Reporter
from .sharding import whole_weights
from .supervisor import Supervisor
from .tuning import has_adapters
from .ulysses import Slices, added_up, sequence_ranks


class StageTrainer(Trainer):
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
        self._evaluated: tuple[int, float] | None = None
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

    # Checkpoints

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

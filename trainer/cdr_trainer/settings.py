"""The stage's configuration as the `TrainingArguments` of `transformers`."""

from __future__ import annotations

import importlib
import json
import os
import warnings
from pathlib import Path
from typing import Any

from . import activations, monitors, ulysses
from .config import Config
from .errors import UserError
from .sharding import allow_cpu, arguments_of


def training_arguments(config: Config, beside: Path, run_dir: Path) -> Any:
    """`beside` is the folder of the configuration, where the DeepSpeed file is. Starts the process group."""
    import torch
    from transformers import TrainingArguments

    cuda = torch.cuda.is_available()
    os.environ.setdefault("TENSORBOARD_LOGGING_DIR", str(run_dir / "tensorboard"))
    os.environ.setdefault("WANDB_DIR", str(run_dir))
    loggers = [name for name in config.track if name != "console"]
    engine = _deepspeed(config, beside)
    monitors.within(engine, run_dir)
    by_torch = config.recompute == "full" and activations.section_of(engine) is None
    try:
        settings = TrainingArguments(
            output_dir=str(run_dir / "checkpoints"),
            per_device_train_batch_size=config.batch.micro_batch,
            gradient_accumulation_steps=config.batch.accumulation,
            max_steps=config.length.steps,
            learning_rate=config.optimizer.lr,
            adam_beta1=config.optimizer.betas[0],
            adam_beta2=config.optimizer.betas[1],
            adam_epsilon=config.optimizer.eps,
            weight_decay=config.optimizer.weight_decay,
            max_grad_norm=config.clip or 0.0,
            optim="adamw_torch_fused",
            bf16=config.precision == "bf16",
            fp16=config.precision == "fp16",
            use_cpu=not cuda,
            ddp_backend="gloo" if config.world > 1 and not cuda else None,
            ddp_find_unused_parameters=_keep_buckets(config, cuda),
            ddp_broadcast_buffers=False,
            deepspeed=engine,
            activation_checkpointing=by_torch,
            activation_checkpointing_kwargs={"use_reentrant": False} if by_torch else None,
            torch_compile=config.compile,
            logging_strategy="steps",
            logging_steps=config.log.every_steps,
            logging_first_step=True,
            # The filter reads the loss from the device at every step, and hides a loss that is not a number.
            logging_nan_inf_filter=False,
            # Every micro-batch has the same number of tokens, so the mean over ranks needs no weights.
            average_tokens_across_devices=False,
            save_strategy="no",
            eval_strategy="no",
            report_to=loggers or "none",
            disable_tqdm=True,
            remove_unused_columns=False,
            dataloader_pin_memory=cuda,
            seed=config.seed,
            **arguments_of(config),
            **ulysses.arguments_of(config),
        )
    except ValueError as error:
        if "DeepSpeed config" in str(error) or "mismatch" in str(error):
            raise UserError(f"{config.deepspeed} and the stage disagree: {error}") from error
        raise
    allow_cpu(settings)
    return settings


def _keep_buckets(config: Config, cuda: bool) -> bool:
    """DDP rearranges its gradient buckets after the first step unless it looks for unused parameters.

    With three ranks or more the order of a sum follows the buckets, so a resumed run would differ in the last bit.
    """
    return config.world > 2 and (config.determinism == "bitwise" or not cuda)


def _deepspeed(config: Config, beside: Path) -> dict[str, Any] | None:
    """The DeepSpeed configuration with the two settings that this trainer's choice of optimizer needs."""
    if config.engine != "deepspeed":
        return None
    try:
        engine = json.loads((beside / config.deepspeed).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the DeepSpeed configuration {beside / config.deepspeed}: {error}") from error
    if not engine.get("train_micro_batch_size_per_gpu"):
        raise UserError(f"{config.deepspeed} lacks `train_micro_batch_size_per_gpu`; write every size as a number")
    zero = engine.get("zero_optimization", {})
    if zero.get("stage") == 3:
        zero.setdefault("stage3_gather_16bit_weights_on_model_save", True)
    # torch's fused AdamW also steps offloaded parameters; DeepSpeed's own would be compiled at the first start.
    engine.setdefault("zero_force_ds_cpu_optimizer", False)
    if ulysses.sequence_ranks(config) > 1:
        # transformers counts every rank as a replica here; accelerate writes the right number later.
        engine["train_batch_size"] = "auto"
        engine.pop("sequence_parallel_size", None)
    return dict(engine)


def prepare_process(config: Config) -> None:
    """Settings of torch and DeepSpeed that have to precede the first tensor."""
    import torch

    warnings.filterwarnings("ignore", category=FutureWarning)
    if config.determinism == "bitwise":
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False
    elif torch.cuda.is_available():
        torch.backends.cuda.matmul.allow_tf32 = True


def start_deepspeed() -> None:
    """Lets DeepSpeed use the process group that exists already; ZeRO-3 needs it before the model is built."""
    import torch
    from deepspeed import init_distributed

    if torch.cuda.is_available():
        init_distributed(auto_mpi_discovery=False)
        return
    # `import deepspeed.comm.torch` would give the attribute of that name, which is torch itself.
    backend = importlib.import_module("deepspeed.comm.torch")
    # An inference-only kernel that is compiled at start; a kill meanwhile leaves a lock that the next start waits
    # on for ever.
    backend.build_shm_op = lambda: None
    init_distributed(dist_backend="gloo", auto_mpi_discovery=False)

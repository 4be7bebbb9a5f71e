"""Trains one stage: `torchrun -m cdr_trainer.train --config FILE --run-dir DIR --input data=DIR`."""

from __future__ import annotations

import functools
import os
import threading
from pathlib import Path
from typing import Any

from . import activations, checkpoints, layout, resume
from .arguments import ProgramArguments
from .config import Config, load
from .errors import OK, STOPPED, UserError
from .events import Events
from .files import read_json, write_json
from .held import resident
from .rank import global_rank, run, world_size
from .results import publish, staging
from .sharding import sharding_of
from .stages import engine_of, for_trainer, stages_of
from .tuning import facts_of, has_adapters, tuning_of


class _Search(threading.Thread):
    """Looks for a checkpoint to resume from while torch is being imported: hashing does not hold the interpreter."""

    def __init__(self, run_dir: Path, events: Events) -> None:
        super().__init__(daemon=True)
        self.run_dir, self.events = run_dir, events
        self.found: Path | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            rejected: list[tuple[str, str]] = []
            self.found = checkpoints.find_resume(self.run_dir, lambda *one: rejected.append(one))
            for name, reason in rejected:
                self._tell(name, reason)
        except Exception as error:
            self.error = error

    def _tell(self, name: str, reason: str) -> None:
        used = self.found and f"checkpoints/{self.found.name}"
        self.events.emit("rejected_checkpoint", path=f"checkpoints/{name}", reason=reason, used=used)
        instead = f"{self.found.name} is used" if self.found else "the run starts over"
        print(f"warning: checkpoint {name} is not used: {reason}; {instead}", flush=True)

    def result(self) -> Path | None:
        self.join()
        if self.error:
            raise self.error
        return self.found


def train(arguments: ProgramArguments) -> int:
    config = load(arguments.config)
    _alone(config)
    chief = global_rank() == 0
    events = Events(arguments.run_dir if chief else None, arguments.attempt)
    search = _Search(arguments.run_dir, events)
    if chief:
        checkpoints.folder(arguments.run_dir).mkdir(parents=True, exist_ok=True)
        search.start()
    meta = _data_meta(arguments, config)

    import torch
    import torch.distributed as dist
    from transformers import set_seed
    from transformers.utils import logging

    from .settings import prepare_process, start_deepspeed, training_arguments

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    prepare_process(config)
    settings = training_arguments(for_trainer(config), arguments.config.parent, arguments.run_dir)
    if config.engine == "deepspeed":
        start_deepspeed()
    group = _control_group(dist)
    start = _agreed(search.result() if chief else None, group, dist)
    if config.resume == "never":
        resume.refuse_if_present(arguments.run_dir)
    set_seed(config.seed)
    runtime = resident()
    # A model that is cut over ranks takes its weights before it is, adapters as they are added; others get theirs
    # from the Trainer.
    early = config.resume == "weights" or sharding_of(config) is not None or has_adapters(config)
    model = _build(config, meta, arguments, start if early else None, events, group, dist)
    activations.recompute(model, config, settings.deepspeed)
    trainer = _trainer(config, arguments, meta, model, settings, group, events, start, runtime)
    exact = resume.going_on(config, arguments, start, trainer, lambda one: _agreed(one, group, dist))
    # Dropout differs between ranks; a resumed run then loads the states that each rank had.
    torch.manual_seed(config.seed + 1 + global_rank())
    trainer.reporter.start(exact.step if exact else 0)
    trainer.phases.reset()
    if not (exact and exact.step >= config.length.steps):
        trainer.train(resume_from_checkpoint=str(exact.folder) if exact else None)
    return _finish(trainer, arguments, chief)


def _alone(config: Config) -> None:
    """A lone torch process needs no process group, whose hooks cost some percent. DeepSpeed makes one anyway."""
    if world_size() == 1 and config.engine == "torch":
        ranks = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK")
        for name in (*ranks, "MASTER_ADDR", "MASTER_PORT"):
            os.environ.pop(name, None)


def _data_meta(arguments: ProgramArguments, config: Config) -> dict[str, Any]:
    """`meta.json` of the data set, held against the stage."""
    if "data" not in arguments.inputs:
        raise UserError("no `--input data=DIR` was given: a stage trains on the result of a data step")
    folder = layout.artefacts(arguments.inputs["data"])
    try:
        meta = read_json(folder / "meta.json")
    except (OSError, ValueError) as error:
        raise UserError(f"{folder} is no prepared data set: {error}") from error
    if meta["vocab"] > config.model.vocab:
        raise UserError(f"the data has a vocabulary of {meta['vocab']} and the model one of {config.model.vocab}")
    for name in ("train", "val"):
        size = (folder / f"{name}.bin").stat().st_size if (folder / f"{name}.bin").exists() else -1
        wanted = meta["counts"][f"{name}_tokens"] * (2 if meta["dtype"] == "uint16" else 4)
        if size != wanted:
            raise UserError(f"{folder / name}.bin has {size} bytes instead of {wanted}; prepare the data again")
    if meta["counts"]["train_tokens"] <= config.batch.sequence:
        raise UserError(f"the data has {meta['counts']['train_tokens']} tokens, fewer than one sequence needs")
    return {**meta, "folder": folder}


def _control_group(dist: Any) -> Any:
    """A gloo group for decisions and small numbers, whatever carries the gradients."""
    if world_size() == 1:
        return None
    return dist.new_group(backend="gloo")


def _agreed(found: Path | None, group: Any, dist: Any) -> Path | None:
    if group is None:
        return found
    box = [found]
    dist.broadcast_object_list(box, src=0, group=group)
    return box[0]


def _build(
    config: Config,
    meta: dict[str, Any],
    arguments: ProgramArguments,
    own: Path | None,
    events: Events,
    group: Any,
    dist: Any,
) -> Any:
    """Seeded weights, or given ones. `own` is this run's checkpoint, taken before the Trainer would take it."""
    from . import adapters, models, tuning
    from .weights import is_safe

    def made(weights: Path | None) -> Any:
        if weights is None:
            return models.build(config.model, meta["end"], config.attention)
        return models.load(weights, config.model, meta["end"], config.attention)

    given = resume.given_weights(config, arguments.inputs)
    if given is not None and config.get("weights", None) is not None:
        told = models.differences(given, config.model, meta["end"])
        if told:
            events.warning(f"the weights of {given} keep their own configuration: {told}")
    if tuning_of(config) is None:
        return made(own or given)
    if not has_adapters(config):
        return tuning.tuned(made(own or given), config, None)
    base = _agreed(adapters.kept_base(arguments.run_dir) if global_rank() == 0 else None, group, dist)
    model = made(base or given)
    if base is None:
        whole = given is not None and is_safe(given)
        adapters.keep_base(arguments.run_dir, given if whole else None, model, global_rank() == 0)
    if group is not None:
        dist.barrier(group=group)
    return tuning.tuned(model, config, own)


def _trainer(
    config: Config,
    arguments: ProgramArguments,
    meta: dict[str, Any],
    model: Any,
    settings: Any,
    group: Any,
    events: Events,
    start: Path | None,
    runtime: int,
) -> Any:
    from .agreement import Agreement
    from .dataset import PackedDataset
    from .reporting import Reporter
    from .supervisor import Supervisor
    from .tokenizer import FILES
    from .tokens import open_stream

    batch, steps = config.batch, config.length.steps
    folder = meta["folder"]
    tokens = open_stream(folder / "train.bin", meta["dtype"])
    validation = open_stream(folder / "val.bin", meta["dtype"]) if config.eval else None
    if validation is not None and len(validation) <= batch.sequence:
        raise UserError("the stage evaluates and the data has no validation part: give the split a `val` share")
    zero = (settings.deepspeed or {}).get("zero_optimization", {}).get("stage", 0) if settings.deepspeed else None
    sharding = sharding_of(config)
    facts = {
        "run_dir": arguments.run_dir,
        "world": world_size(),
        "engine": config.engine,
        "zero_stage": zero,
        "context_parallel": config.get("context_parallel", None),
        "expert_parallel": config.get("expert_parallel", None),
        "pipeline_parallel": config.get("pipeline_parallel", None),
        "sharding": sharding and [sharding.stage, sharding.over],
        "tuning": facts_of(config),
        "precision": config.precision,
        "parameters": config.model.parameters,
        "batch": [batch.micro_batch, batch.accumulation, batch.sequence],
        "seed": config.seed,
        "data": meta["fingerprint"]["train"],
        "tokenizer": meta["fingerprint"]["tokenizer"],
    }
    watched = layout.stop_file(arguments.run_dir) if global_rank() == 0 else None
    if stages_of(config) > 1:
        from .pipeline_trainer import PipelineTrainer

        trainer: Any = functools.partial(PipelineTrainer, engine=engine_of(config, arguments.config.parent))
    else:
        from .stage_trainer import StageTrainer as trainer
    return trainer(
        config=config,
        supervisor=Supervisor(config, events, watched, Agreement(group)),
        reporter=Reporter(arguments.run_dir, events, batch.global_batch * batch.sequence, steps),
        group=group,
        validation=validation,
        facts=facts,
        tokenizer_files=[folder / name for name in FILES if (folder / name).exists()],
        kept=_known_valid(arguments.run_dir, start),
        runtime=runtime,
        model=model,
        args=settings,
        train_dataset=PackedDataset(tokens, batch.sequence, config.seed, steps * batch.global_batch),
    )


def _known_valid(run_dir: Path, newest: Path | None) -> list[checkpoints.Checkpoint]:
    """Checkpoints for retention to count, ascending. Only the newest one has been verified just now."""
    paths = [path for path in reversed(checkpoints.present(run_dir)) if newest and path.name <= newest.name]
    return [checkpoints.load(path) for path in paths if (path / checkpoints.MANIFEST).exists()]


def _finish(trainer: Any, arguments: ProgramArguments, chief: bool) -> int:
    supervisor = trainer.supervisor
    if chief:
        summary = trainer.reporter.summary()
        with staging(arguments.run_dir) as folder:
            write_json(folder / "summary.json", summary | {"checkpoint": trainer.kept[-1].path.name})
            publish(folder, arguments.run_dir)
    if supervisor.broken or supervisor.failed:
        raise UserError(supervisor.broken or "another rank found an expectation that does not hold")
    return STOPPED if supervisor.stopped else OK


if __name__ == "__main__":
    run(train)

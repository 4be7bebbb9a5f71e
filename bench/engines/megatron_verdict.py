"""What the installed Megatron says of a launch before it builds a model, with its process groups and its schedule."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import json
import logging
import os
import pathlib
import sys
import traceback
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "test/oracles/megatron"))
import accept
import emulate

Launch = dict[str, Any]


def prepare() -> None:
    logging.disable(50)
    emulate.gpu("9.0")
    emulate.transformer_engine()
    accept.parse_by_one_parser()


def verdict_in_fork(launch: Launch) -> dict[str, Any]:
    """In a process of its own: what a launch leaves in modules is gone with it, and so is a crash."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(write, "w") as answer:
            json.dump(verdict(launch), answer)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"verdict": "crash", "phase": None, "message": ""}


def verdict(launch: Launch) -> dict[str, Any]:
    from megatron.training import arguments, training

    emulate.gpu(launch["gpu_arch"])
    os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
    os.environ.update(launch["env"], WORLD_SIZE=str(launch["world_size"]), RANK="0", LOCAL_RANK="0")
    sys.argv = ["pretrain", *launch["argv"]]
    said = io.StringIO()
    phase = "parse"
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            args = copy.deepcopy(arguments.parse_args(None, False))
            phase = "validate"
            arguments.validate_args(args, {})
            phase = "microbatches"
            microbatches(args)
            phase = "config"
            arguments.core_transformer_config_from_args(args)
            phase = "optimizer"
            training.get_megatron_optimizer_config(args)
            training.get_megatron_ddp_config(args)
            phase = "groups"
            groups(args, launch["world_size"])
            phase = "scheduler"
            training.get_args = lambda: args
            if not args.skip_train:
                training.get_optimizer_param_scheduler(Optimizer())
        return {"verdict": "ok", "phase": None, "message": ""}
    except SystemExit:
        return {"verdict": "error", "phase": phase, "message": said.getvalue()[-300:]}
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno} {place.name}"
        return {"verdict": "error", "phase": phase, "message": f"{type(error).__name__} {where}: {error}"[:300]}


class Optimizer:
    """As much of one as a schedule looks at."""

    def __init__(self) -> None:
        self.param_groups = [{"lr": 0, "weight_decay": 0, "params": []}]


def microbatches(args: Any) -> None:
    """As global_vars.py: _build_num_microbatches_calculator; ranks that share weights by shards have samples of their own."""
    from megatron.core.num_microbatches_calculator import init_num_microbatches_calculator as start

    taken = inspect.signature(start).parameters
    ranks = args.data_parallel_size * getattr(args, "gtp_weight_remat_size", 1)
    start(
        **{
            name: ranks if name == "data_parallel_size" else getattr(args, name)
            for name in taken
            if hasattr(args, name)
        }
    )


# A fake group of more ranks takes long to make.
MOST_RANKS = 64


def groups(args: Any, world: int) -> None:
    import torch.distributed
    from megatron.core import parallel_state
    from torch.testing._internal.distributed.fake_pg import FakeStore

    sizes = (args.tensor_model_parallel_size, args.pipeline_model_parallel_size, args.context_parallel_size)
    # A backend of its own is a real one, which wants a GPU.
    if (
        world > MOST_RANKS
        or not all(0 < size <= world for size in sizes)
        or args.pipeline_model_parallel_comm_backend
    ):
        return
    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=world)
    taken = inspect.signature(parallel_state.initialize_model_parallel).parameters
    asked = {
        "order": "tp-cp-ep-pp-dp" if args.use_tp_pp_dp_mapping else "tp-cp-ep-dp-pp",
        "create_gloo_process_groups": False,
        "gtp_remat_size": getattr(args, "gtp_weight_remat_size", 1),
        "expert_gtp_remat_size": getattr(args, "expert_gtp_weight_remat_size", 1),
    }
    given = {name: getattr(args, name) for name in taken if name not in asked and hasattr(args, name)}
    parallel_state.initialize_model_parallel(**given, **{name: each for name, each in asked.items() if name in taken})

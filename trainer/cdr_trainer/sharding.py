"""Weights, gradients and moments shared out over ranks by torch (FSDP2), through accelerate."""

from __future__ import annotations

from typing import Any

from .config import Config


def sharding_of(config: Config) -> Config | None:
    """What the plan shards; `None` where every rank holds everything."""
    return config.get("sharding", None)


def arguments_of(config: Config) -> dict[str, Any]:
    """The part of `TrainingArguments` that shards."""
    sharding = sharding_of(config)
    if sharding is None:
        return {}
    from accelerate.parallelism_config import ParallelismConfig

    copies = config.world // sharding.over
    shards: dict[str, Any] = {
        "fsdp": True,
        "fsdp_config": {
            "version": 2,
            "reshard_after_forward": sharding.stage == 3,
            # The optimizer's state is saved as shards; the weights are gathered, for whoever reads them next.
            "state_dict_type": "SHARDED_STATE_DICT",
        },
        # Gradients are scattered after every micro-batch: kept whole until the last one they would be stage 1's.
        "accelerator_config": {"gradient_accumulation_kwargs": {"sync_each_batch": True}},
    }
    if copies > 1:
        shards["parallelism_config"] = ParallelismConfig(dp_replicate_size=copies, dp_shard_size=sharding.over)
    return shards


def allow_cpu(settings: Any) -> None:
    """accelerate shards over devices alone, though gloo has the same collectives: its state is made here first."""
    from accelerate import FullyShardedDataParallelPlugin
    from accelerate.state import AcceleratorState, PartialState
    from accelerate.utils import DistributedType, TorchDynamoPlugin

    if settings.fsdp_plugin_args is None or not settings.use_cpu:
        return
    plugin = FullyShardedDataParallelPlugin(**settings.fsdp_plugin_args)
    precision = settings.mixed_precision
    state = AcceleratorState(
        precision,
        cpu=True,
        dynamo_plugin=TorchDynamoPlugin(),
        parallelism_config=settings.parallelism_config,
        _from_accelerator=True,
    )
    # Every new `AcceleratorState` copies the type of the one below it.
    state.distributed_type = PartialState().distributed_type = DistributedType.FSDP
    if precision != "no":
        plugin.set_mixed_precision(precision)
    state.fsdp_plugin = plugin


def whole_weights(model: Any, trained_only: bool) -> dict[str, Any]:
    """Gathered on rank 0, on its host; empty elsewhere."""
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict

    options = StateDictOptions(full_state_dict=True, cpu_offload=True, ignore_frozen_params=trained_only)
    return get_model_state_dict(model, options=options)

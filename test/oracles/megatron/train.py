"""Trains what a lowered command line describes, some steps on the CPU, and saves and loads a distributed checkpoint.

Started by torchrun as Megatron's own program would be: its arguments are the lowered ones. The real parser, validation,
configuration, model, parallel layers and checkpoint code run; CUDA calls are answered by the CPU, groups are gloo.
Prints one JSON object on rank 0: the loss of each step, and whether the loaded model repeats the last one bit for bit.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from typing import Any

import emulate
import torch


class Queue:
    """A stream or an event where everything runs in order."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: Queue()


def on_cpu() -> None:
    """CUDA's bookkeeping as the CPU can answer it; no arithmetic is replaced."""
    cuda: Any = torch.cuda
    cuda.synchronize = lambda *_, **__: None
    cuda.current_device = lambda: torch.device("cpu")
    cuda.manual_seed = torch.manual_seed
    cuda.get_rng_state = lambda *_, **__: torch.get_rng_state()
    cuda.Stream = cuda.Event = Queue
    cuda.current_stream = lambda *_, **__: Queue()
    cuda.stream = lambda *_, **__: contextlib.nullcontext()
    cuda.is_available = lambda: False
    tensor: Any = torch.Tensor
    tensor.cuda = lambda self, *_, **__: self
    tensor.record_stream = lambda *_, **__: None
    import megatron.core.tensor_parallel.random as random

    import megatron.core.transformer.moe.token_dispatcher as dispatcher

    # What lies on the host already is left a tensor by the original, which collectives do not take as sizes.
    dispatcher.maybe_move_tensor_to_cpu = lambda value, as_numpy=False, **_: (
        value.detach().numpy() if as_numpy and torch.is_tensor(value) else value
    )
    random._get_cuda_rng_state = lambda *_, **__: torch.get_rng_state()
    random._set_cuda_rng_state = lambda state, *_, **__: torch.set_rng_state(state)


class _OnCpu(torch.overrides.TorchFunctionMode):
    """A tensor that is asked for on a GPU is made on the CPU."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if _is_gpu(kwargs.get("device")):
            kwargs["device"] = torch.device("cpu")
        if function is torch.Tensor.to:
            args = tuple(torch.device("cpu") if _is_gpu(each) else each for each in args)
        return function(*args, **kwargs)


def _is_gpu(device: Any) -> bool:
    return (isinstance(device, str) and device.startswith("cuda")) or (
        isinstance(device, torch.device) and device.type == "cuda"
    )


def without_devices() -> None:
    """What Megatron's training loop asks of devices beyond its model: memory, places, groups over NCCL."""
    cuda: Any = torch.cuda
    cuda.is_available = lambda: True
    cuda.set_device = lambda *_, **__: None
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"):
        setattr(cuda, name, lambda *_, **__: 0)
    cuda.empty_cache = cuda.reset_peak_memory_stats = lambda *_, **__: None
    cuda.memory_stats = lambda *_, **__: {}
    cuda.is_current_stream_capturing = lambda: False
    # Pages are pinned for an accelerator.
    accelerator: Any = torch.accelerator
    accelerator.is_available = lambda: False
    tensor: Any = torch.Tensor
    type_of = tensor.type
    tensor.type = lambda self, *args, **rest: (
        type_of(self, *args, **rest) if args or rest else "torch.cuda." + type_of(self).rpartition(".")[2]
    )
    groups: Any = torch.distributed
    start, barrier = groups.init_process_group, groups.barrier
    groups.init_process_group = lambda backend=None, **rest: start(
        backend="gloo", **{name: value for name, value in rest.items() if name != "device_id"}
    )
    groups.barrier = lambda *args, device_ids=None, **rest: barrier(*args, **rest)
    import megatron.core.datasets.utils as data

    # The wheel has them compiled, and no Makefile.
    data.compile_helpers = lambda: None
    _OnCpu().__enter__()


class Norm(torch.nn.Module):
    """torch's norms under sequence parallelism: Megatron's own wrapper of them refuses it, fused ones need CUDA."""

    def __new__(cls, config: Any, hidden_size: int, eps: float = 1e-5, **_: Any) -> Any:
        kind = torch.nn.RMSNorm if config.normalization == "RMSNorm" else torch.nn.LayerNorm
        norm = kind(hidden_size, eps=eps)
        for parameter in norm.parameters():
            parameter.sequence_parallel = config.sequence_parallel
        return norm


def model_of(arguments: Any, vocab: int | None = None) -> Any:
    import megatron.core.models.backends as backends
    from megatron.core.models.gpt import GPTModel
    from megatron.core.models.gpt import gpt_layer_specs as specs
    from megatron.core.transformer import transformer_block
    from megatron.training.arguments import core_transformer_config_from_args

    for module in (backends, specs, transformer_block):
        for name in ("WrappedTorchNorm", "FusedLayerNorm", "LNImpl", "LayerNormImpl"):
            if hasattr(module, name):
                setattr(module, name, Norm)
    config = core_transformer_config_from_args(arguments)
    config.use_cpu_initialization = True
    spec: Any
    if arguments.num_experts:
        spec = specs.get_gpt_decoder_block_spec(config, use_transformer_engine=False)
    else:
        spec = specs.get_gpt_layer_local_spec(qk_layernorm=arguments.qk_layernorm, normalization=arguments.normalization)
    return GPTModel(
        config,
        spec,
        vocab_size=vocab or arguments.vocab_size,
        max_sequence_length=arguments.max_position_embeddings,
        parallel_output=True,
        share_embeddings_and_output_weights=not arguments.untie_embeddings_and_output_weights,
        position_embedding_type=arguments.position_embedding_type,
        rotary_percent=arguments.rotary_percent,
        rotary_base=arguments.rotary_base,
    )


def main() -> None:
    emulate.gpu("9.0")
    from megatron.core import dist_checkpointing, parallel_state
    from megatron.core.tensor_parallel import model_parallel_cuda_manual_seed
    from megatron.training import arguments as parsing

    arguments = parsing.parse_args(None, False)
    parsing.validate_args(arguments, {})
    on_cpu()
    torch.distributed.init_process_group("gloo")
    parallel_state.initialize_model_parallel(
        arguments.tensor_model_parallel_size,
        arguments.pipeline_model_parallel_size,
        expert_model_parallel_size=arguments.expert_model_parallel_size,
        expert_tensor_parallel_size=arguments.expert_tensor_parallel_size,
    )
    torch.manual_seed(arguments.seed)
    model_parallel_cuda_manual_seed(arguments.seed)
    model = model_of(arguments)
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=arguments.lr,
        betas=(arguments.adam_beta1, arguments.adam_beta2),
        weight_decay=arguments.weight_decay,
    )
    generator = torch.Generator().manual_seed(arguments.seed)
    length = arguments.seq_length
    tokens = torch.randint(arguments.vocab_size, (arguments.micro_batch_size, length + 1), generator=generator)
    positions = torch.arange(length).expand(arguments.micro_batch_size, length)
    ahead = torch.triu(torch.ones(1, 1, length, length, dtype=torch.bool), 1)

    def loss_of(one: Any) -> torch.Tensor:
        return one(tokens[:, :-1].contiguous(), positions, ahead, labels=tokens[:, 1:].contiguous()).mean()

    losses = []
    for _ in range(arguments.train_iters):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        for parameter in model.parameters():
            # Each rank of a tensor parallel group sees a part of the sequence; its norms are whole.
            if getattr(parameter, "sequence_parallel", False) and parameter.grad is not None:
                torch.distributed.all_reduce(parameter.grad, group=parallel_state.get_tensor_model_parallel_group())
        optimizer.step()
        losses.append(loss.item())

    place = [tempfile.mkdtemp() if torch.distributed.get_rank() == 0 else None]
    torch.distributed.broadcast_object_list(place)
    dist_checkpointing.save(model.sharded_state_dict(prefix=""), place[0])
    torch.distributed.barrier()
    again = model_of(arguments)
    again.load_state_dict(dist_checkpointing.load(again.sharded_state_dict(prefix=""), place[0]), strict=False)
    with torch.no_grad():
        same = torch.equal(loss_of(model), loss_of(again))
    if torch.distributed.get_rank() == 0:
        print(json.dumps({"losses": losses, "same": same, "files": sorted(os.listdir(place[0]))[:3]}))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()

"""What this machine reaches by itself: matrix products, memory, attention, collectives. `cdrc calibrate` starts it.

All ranks measure at the same time, as they train: they share the memory and the cores of their node. Every case
runs once a round and its fastest round counts, so that whoever else is busy on the machine spoils a round and not a
case. On a CPU what this thread itself computed counts (see phases.py), except for collectives, mostly waiting.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .arguments import ProgramArguments
from .config import Config, load
from .errors import OK
from .events import Events
from .files import write_json
from .rank import global_rank, run, world_size
from .results import publish, staging

# One sample takes about this long, so that a clock's grain and a call's overhead do not show.
SAMPLE_SECONDS = 0.02


@dataclass
class Case:
    """`facts` say what is measured; `work` does it once."""

    facts: dict[str, Any]
    work: Callable[[], Any]
    collective: bool = False
    repeats: int = 0
    seconds: float = float("inf")


def measure(arguments: ProgramArguments) -> int:
    config = load(arguments.config)
    import torch
    import torch.distributed as dist

    chief = global_rank() == 0
    events = Events(arguments.run_dir if chief else None, arguments.attempt)
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    if world_size() > 1:
        dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(config.seed)
    device = torch.device("cuda" if cuda else "cpu")
    cases = _products(config, device) + _streams(config, device) + _cores(config, device)
    cases += _messages(config, device) if world_size() > 1 else []
    _rounds(cases, config.rounds, events, cuda)
    if chief:
        with staging(arguments.run_dir) as folder:
            write_json(folder / "measurements.json", _document(cases, device))
            publish(folder, arguments.run_dir)
    if world_size() > 1:
        dist.barrier()
        dist.destroy_process_group()
    return OK


def _document(cases: list[Case], device: Any) -> dict[str, Any]:
    import torch

    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    about = {"device": name, "torch": torch.__version__, "threads": torch.get_num_threads(), "world": world_size()}
    return {"format": 1, **about, "cases": [{**case.facts, "seconds": case.seconds} for case in cases]}


def _products(config: Config, device: Any) -> list[Case]:
    import torch

    made = []
    for dtype in config.dtypes:
        for rows, inputs, outputs in config.products:
            a = torch.randn(rows, inputs, device=device, dtype=getattr(torch, dtype))
            b = torch.randn(outputs, inputs, device=device, dtype=getattr(torch, dtype))
            facts = {"kind": "product", "dtype": dtype, "rows": rows, "inputs": inputs, "outputs": outputs}
            made.append(Case(facts, lambda a=a, b=b: torch.nn.functional.linear(a, b)))
    return made


def _streams(config: Config, device: Any) -> list[Case]:
    """Two operands are read and one result is written."""
    import torch

    made = []
    for size in config.bytes:
        a, b, c = (torch.zeros(max(1, size // 12), device=device) for _ in range(3))
        facts = {"kind": "memory", "bytes": 12 * a.numel()}
        made.append(Case(facts, lambda a=a, b=b, c=c: torch.add(a, b, out=c)))
    return made


def _cores(config: Config, device: Any) -> list[Case]:
    import torch

    made = []
    for batch, heads, sequence, width in config.attention:
        parts = [torch.randn(batch, heads, sequence, width, device=device, requires_grad=True) for _ in range(3)]
        facts = {"kind": "attention", "batch": batch, "heads": heads, "sequence": sequence, "width": width}
        made.append(Case(facts, lambda parts=parts: _core(parts)))
    return made


def _core(parts: list[Any]) -> None:
    """Forward and backward."""
    import torch

    torch.nn.functional.scaled_dot_product_attention(*parts, is_causal=True).sum().backward()


def _messages(config: Config, device: Any) -> list[Case]:
    import torch
    import torch.distributed as dist

    world = world_size()
    made = []
    for size in config.messages:
        count = max(world, size // 4 // world * world)
        whole, part = torch.zeros(count, device=device), torch.zeros(count // world, device=device)
        facts = {"kind": "collective", "bytes": 4 * count, "ranks": world}
        works = {
            "reduce": lambda whole=whole: dist.all_reduce(whole),
            "gather": lambda whole=whole, part=part: dist.all_gather_into_tensor(whole, part),
        }
        made += [Case({**facts, "which": name}, work, collective=True) for name, work in works.items()]
    return made


def _rounds(cases: list[Case], rounds: int, events: Events, cuda: bool) -> None:
    done, total = 0, rounds * len(cases)
    for _ in range(rounds):
        for case in cases:
            _sample(case, cuda)
            done += 1
            events.progress(done, total, "measurements")


def _sample(case: Case, cuda: bool) -> None:
    if case.repeats == 0:
        case.work()
        case.repeats = _agreed(case, _seconds(case, 1, cuda))
    case.seconds = min(case.seconds, _seconds(case, case.repeats, cuda) / case.repeats)


def _agreed(case: Case, once: float) -> int:
    """Ranks repeat a collective equally often: what rank 0 says."""
    import torch
    import torch.distributed as dist

    repeats = torch.tensor(max(1, min(200, round(SAMPLE_SECONDS / max(once, 1e-7)))))
    if case.collective:
        repeats = repeats.cuda() if torch.cuda.is_available() else repeats
        dist.broadcast(repeats, src=0)
    return int(repeats)


def _seconds(case: Case, repeats: int, cuda: bool) -> float:
    clock = time.perf_counter if cuda or case.collective else time.thread_time
    _finish(cuda)
    began = clock()
    for _ in range(repeats):
        case.work()
    _finish(cuda)
    return clock() - began


def _finish(cuda: bool) -> None:
    if cuda:
        import torch

        torch.cuda.synchronize()


if __name__ == "__main__":
    run(measure)

"""Loss and perplexity of a checkpoint on a split: `result/evaluation.json`. Inputs: `model`, `data`."""

from __future__ import annotations

import time
from typing import Any

from . import layout
from .arguments import ProgramArguments
from .config import Config, load
from .errors import UserError
from .events import Events
from .files import read_json, write_json
from .inputs import checkpoint as input_checkpoint
from .loading import load_model
from .rank import run
from .results import publish, staging


def evaluate(arguments: ProgramArguments) -> None:
    config = load(arguments.config)
    if "data" not in arguments.inputs:
        raise UserError("no `--input data=DIR` was given: name the data step whose split is measured")
    folder = layout.artefacts(arguments.inputs["data"])
    meta = read_json(folder / "meta.json")
    checkpoint = input_checkpoint(arguments.inputs, "model")

    from .evaluation import perplexity
    from .tokens import open_stream

    tokens = open_stream(folder / f"{config.split}.bin", meta["dtype"])
    sequence = meta["sequence"]
    if len(tokens) <= sequence:
        raise UserError(f"the split `{config.split}` has {len(tokens)} tokens, fewer than one sequence of {sequence}")
    model, device = load_model(checkpoint, config.precision)
    began = time.perf_counter()
    loss, measured = _measure(model, tokens, sequence, config, device, Events(arguments.run_dir, arguments.attempt))
    result = {
        "split": config.split,
        "loss": loss,
        "perplexity": perplexity(loss),
        "tokens": measured,
        "seconds": round(time.perf_counter() - began, 3),
        "checkpoint": checkpoint.name,
        "data": meta["fingerprint"][config.split],
    }
    with staging(arguments.run_dir) as temporary:
        write_json(temporary / "evaluation.json", result)
        publish(temporary, arguments.run_dir)
    print(
        f"{config.split}: loss {loss:.4f}, perplexity {result['perplexity']:.3f} over {measured:,} tokens", flush=True
    )


def _measure(
    model: Any, tokens: Any, sequence: int, config: Config, device: Any, events: Events
) -> tuple[float, int]:
    """Mean loss in nats per token, and how many tokens it is the mean of."""
    from .evaluation import mean_loss

    windows = (len(tokens) - 1) // sequence
    batches = -(-windows // config.micro_batch)
    batches = batches if config.batches is None else min(batches, config.batches)
    done = 0

    def forward(inputs: dict[str, Any]) -> Any:
        nonlocal done
        done += 1
        events.progress(done, batches, "batches")
        return model(
            inputs["input_ids"], labels=inputs["labels"], shift_labels=inputs["labels"], use_cache=False
        ).loss

    loss = mean_loss(forward, tokens, sequence, config.micro_batch, batches, device, None)
    return loss, min(windows, batches * config.micro_batch) * sequence


if __name__ == "__main__":
    run(evaluate)

"""Text from a checkpoint: `result/samples.jsonl`, printed as well. Input: `model`."""

from __future__ import annotations

import json
import re
from typing import Any

from . import tokenizer as tokenizers
from .arguments import ProgramArguments
from .config import Config, load
from .events import Events
from .inputs import checkpoint as input_checkpoint
from .loading import load_model
from .rank import run
from .results import publish, staging

# Logits over a smaller temperature leave float32's range, and the likeliest token has all of the probability long before.
COLDEST = 1e-4


def generate(arguments: ProgramArguments) -> None:
    config = load(arguments.config)
    events = Events(arguments.run_dir, arguments.attempt)
    checkpoint = input_checkpoint(arguments.inputs, "model")
    tokenizer = tokenizers.load(checkpoint)
    model, device = load_model(checkpoint, "fp32")
    with staging(arguments.run_dir) as folder:
        with open(folder / "samples.jsonl", "w", encoding="utf-8") as file:
            for number, prompt in enumerate(config.prompts):
                sample = _continue(model, tokenizer, prompt, config, config.seed + number, device, events)
                file.write(json.dumps(sample, ensure_ascii=False) + "\n")
                print(f"--- {prompt!r}\n{printable(prompt + sample['text'])}\n", flush=True)
                events.progress(number + 1, len(config.prompts), "samples")
        publish(folder, arguments.run_dir)


def printable(text: str) -> str:
    """What a terminal may show: an untrained model writes any byte, also those that lock or clear a screen."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda found: found[0].encode("unicode_escape").decode(), text)


def _continue(
    model: Any, tokenizer: tokenizers.Tokenizer, prompt: str, config: Config, seed: int, device: Any, events: Events
) -> dict[str, Any]:
    """One continuation. Each prompt has a seed of its own, so adding a prompt changes no other text."""
    import torch

    context = model.config.max_position_embeddings
    ids = [int(token) for token in tokenizer.encode([prompt])[0]] or [tokenizer.end]
    room = context - len(ids)
    if room < config.max_tokens:
        kept = max(1, context - config.max_tokens)
        events.warning(f"prompt {prompt[:40]!r} and {config.max_tokens} tokens exceed the context of {context}")
        ids = ids[-kept:]
        room = context - len(ids)
    torch.manual_seed(seed)
    prompt_ids = torch.tensor([ids], device=device)
    # Rows of the embedding that no token has are never trained.
    unused = list(range(tokenizer.size, model.config.vocab_size)) or None
    with torch.no_grad():
        out = model.generate(
            prompt_ids,
            attention_mask=torch.ones_like(prompt_ids),
            max_new_tokens=min(config.max_tokens, room),
            eos_token_id=tokenizer.end,
            pad_token_id=tokenizer.end,
            suppress_tokens=unused,
            use_cache=True,
            **sampling(config),
        )
    new = out[0, len(ids) :].tolist()
    return {"prompt": prompt, "text": tokenizer.decode(new), "tokens": len(new), "ended": tokenizer.end in new}


def sampling(config: Config) -> dict[str, Any]:
    """How the next token is chosen, in the words of transformers."""
    if config.temperature < COLDEST:
        return {"do_sample": False}
    # 0 switches the library's own default of the 50 likeliest tokens off.
    warmed = {"do_sample": True, "temperature": config.temperature, "top_k": config.top_k or 0}
    return {**warmed, "top_p": 1.0 if config.top_p is None else config.top_p}


if __name__ == "__main__":
    run(generate)

"""A model that is cut into stages is the same model, and trains as one that is whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
import transformers
from helpers import Bench, Result, deepspeed_config, model_config, train_config

from cdr_trainer.errors import UserError

STEPS = 4

SMALL = {
    "vocab_size": 97,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
IDS = {"bos_token_id": 1, "eos_token_id": 2}
HEADS = {"head_dim": 8}
WINDOW = {"sliding_window": 8}
FAMILIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "llama": ("LlamaConfig", "LlamaForCausalLM", SMALL),
    "llama, one table": ("LlamaConfig", "LlamaForCausalLM", SMALL | {"tie_word_embeddings": True}),
    "mistral": ("MistralConfig", "MistralForCausalLM", SMALL | WINDOW),
    "qwen2": ("Qwen2Config", "Qwen2ForCausalLM", SMALL),
    "qwen3": ("Qwen3Config", "Qwen3ForCausalLM", SMALL | HEADS),
    "gemma": ("GemmaConfig", "GemmaForCausalLM", SMALL | HEADS),
    "gemma2": ("Gemma2Config", "Gemma2ForCausalLM", SMALL | HEADS | WINDOW),
    "gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM", SMALL | HEADS | WINDOW),
    "gpt2": (
        "GPT2Config",
        "GPT2LMHeadModel",
        {"vocab_size": 97, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64} | IDS,
    ),
    "gpt_neox": ("GPTNeoXConfig", "GPTNeoXForCausalLM", SMALL),
    "olmo2": ("Olmo2Config", "Olmo2ForCausalLM", SMALL),
    "phi": ("PhiConfig", "PhiForCausalLM", SMALL),
    "nemotron": ("NemotronConfig", "NemotronForCausalLM", SMALL),
    "falcon": (
        "FalconConfig",
        "FalconForCausalLM",
        {"vocab_size": 97, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4} | IDS,
    ),
    "mpt": ("MptConfig", "MptForCausalLM", {"vocab_size": 97, "d_model": 32, "n_heads": 4, "n_layers": 3} | IDS),
}


def made(configuration: str, model: str, values: dict[str, Any]) -> Any:
    torch.manual_seed(0)
    return getattr(transformers, model)._from_config(
        getattr(transformers, configuration)(**values), attn_implementation="eager", dtype=torch.float32
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_the_parts_of_a_model_give_its_loss_and_its_gradients(family: str) -> None:
    from cdr_trainer.pipeline import parts_of

    model = made(*FAMILIES[family]).eval()
    numbers = torch.Generator().manual_seed(1)
    tokens, labels = (torch.randint(3, 97, (2, 16), generator=numbers) for _ in range(2))
    whole = model(input_ids=tokens, labels=labels, shift_labels=labels, use_cache=False).loss
    whole.backward()
    weights = dict(model.named_parameters())
    gradients = {name: weight.grad.clone() for name, weight in weights.items()}
    model.zero_grad()

    parts, frame = parts_of(model)
    passed: Any = tokens
    for part in parts:
        passed = run(part.layer, passed)
    loss = frame.loss(passed, labels)
    loss.backward()
    assert torch.equal(loss, whole)
    for name, weight in weights.items():
        torch.testing.assert_close(weight.grad, gradients[name], rtol=1e-5, atol=1e-7, msg=name)
    saved = [
        f"{name}.{key}" for part in parts for name, one in part.saved.items() for key, _ in one.named_parameters()
    ]
    assert sorted(saved) == sorted(weights)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("end", [2, 3, 5])
def test_stages_need_nothing_of_each_other_but_what_is_sent(family: str, end: int) -> None:
    """Of one copy of the model the first parts are kept, of another the rest, wherever the cut is."""
    from cdr_trainer.pipeline import parts_of

    tokens = torch.randint(3, 97, (2, 16), generator=torch.Generator().manual_seed(1))
    whole = made(*FAMILIES[family]).eval()(input_ids=tokens, use_cache=False).logits
    passed: Any = tokens
    for kept in (slice(0, end), slice(end, None)):
        parts, frame = parts_of(made(*FAMILIES[family]).eval())
        mine = parts[kept]
        frame.keep([module for part in mine for module in part.modules], "cpu")
        for part in mine:
            passed = run(part.layer, passed)
    assert torch.equal(passed, whole)


def run(layer: Any, given: Any) -> Any:
    """As DeepSpeed runs it."""
    own = getattr(layer, "forward_fn", None)
    module = layer.build() if hasattr(layer, "build") else layer
    return own(module, given) if own else module(given)


def test_experts_are_not_cut() -> None:
    from cdr_trainer.pipeline import parts_of

    with pytest.raises(UserError, match="MixtralForCausalLM cannot be cut into stages of a pipeline"):
        parts_of(made("MixtralConfig", "MixtralForCausalLM", SMALL | {"num_local_experts": 2}))


def piped(
    world: int, stages: int, steps: int = STEPS, engine: str = "deepspeed", **changes: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Three layers and one table for both ends. A step has as many samples, however many ranks there are."""
    plain = {"name": "constant", "warmup_steps": 2, "final_ratio": 1.0, "cooldown_steps": 0}
    config = train_config(
        world, steps, engine, schedule=plain, eval={"every_steps": STEPS, "batches": None}, **changes
    )
    values = {"attention_dropout": 0.0, "num_hidden_layers": 3, "tie_word_embeddings": True}
    layer = 4 * 32 * 32 + 3 * 32 * 64 + 2 * 32
    config["model"] = model_config(values=values, parameters=264 * 32 + 32 + 3 * layer, tied=True)
    config["batch"] |= {"micro_batch": 2 * stages // world, "global_batch": 4}
    if stages == 1:
        return config, {}
    engine_file = deepspeed_config(config, 1)
    engine_file["zero_optimization"]["overlap_comm"] = False
    engine_file["pipeline"] = {"activation_checkpoint_interval": 1, "use_reentrant": False}
    return config | {"pipeline_parallel": stages, "recompute": "full"}, {"deepspeed": engine_file}


def series(result: Result, name: str) -> list[float]:
    return [line[name] for line in result.metrics() if name in line]


@pytest.fixture(scope="module")
def whole(bench: Bench) -> Result:
    result = bench.run("train", piped(1, 1, engine="torch")[0], "stages-whole")
    assert result.code == 0, result.stderr
    return result


@pytest.fixture(scope="module")
def unbroken(bench: Bench) -> Result:
    config, options = piped(2, 2)
    result = bench.run("train", config, "stages-2", **options)
    assert result.code == 0, result.stderr
    return result


def same(one: Result, other: Result) -> None:
    for name in ("loss", "grad_norm", "val_loss"):
        assert series(one, name) and series(other, name) == pytest.approx(series(one, name), rel=1e-5), name


@pytest.mark.slow
def test_two_stages_train_as_one_rank_does(whole: Result, unbroken: Result) -> None:
    assert len(series(unbroken, "loss")) == STEPS
    same(whole, unbroken)


@pytest.mark.slow
def test_replicas_of_two_stages_do_too(bench: Bench, whole: Result) -> None:
    config, options = piped(4, 2)
    result = bench.run("train", config, "stages-4", **options)
    assert result.code == 0, result.stderr
    same(whole, result)


@pytest.mark.slow
def test_a_run_goes_on_exactly_and_not_in_one_piece(bench: Bench, unbroken: Result) -> None:
    half = bench.run("train", piped(2, 2, steps=2)[0], "stages-halves", **piped(2, 2)[1])
    assert half.code == 0, half.stderr

    other, _ = piped(2, 1)
    refused = bench.resume(other, "stages-halves", 1, deepspeed=deepspeed_config(other, 1))
    assert refused.code == 65
    assert "ranks that share the layers 2 then, None now" in refused.stderr

    config, options = piped(2, 2)
    resumed = bench.resume(config, "stages-halves", 2, **options)
    assert resumed.code == 0, resumed.stderr
    assert files(resumed) == files(unbroken)
    assert series(resumed, "loss")[-1] == series(unbroken, "loss")[-1]


@pytest.mark.slow
def test_other_steps_read_what_the_stages_saved(bench: Bench, unbroken: Result) -> None:
    config = {
        "format": 1,
        "step": "check",
        "split": "val",
        "precision": "fp32",
        "micro_batch": 4,
        "batches": None,
        "seed": 1,
    }
    inputs = {"model": unbroken.run_dir, "data": bench.data}
    result = bench.run("evaluate", config, "stages-read", inputs=inputs)
    assert result.code == 0, result.stderr
    measured = json.loads((result.run_dir / "result" / "evaluation.json").read_text())
    assert measured["loss"] == pytest.approx(series(unbroken, "val_loss")[-1], rel=1e-5)


def files(result: Result) -> dict[str, bytes]:
    newest = max((result.run_dir / "checkpoints").glob("step-*"))
    return {one.name: one.read_bytes() for one in sorted(newest.glob("model*"))}

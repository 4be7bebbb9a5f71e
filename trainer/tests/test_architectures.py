"""Models of `cdr_trainer.architectures` beside a plain recurrence, their authors' program, and themselves on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from cdr_trainer import architectures
from cdr_trainer.architectures import CdrmixConfig, CdrmixForCausalLM, Rwkv7Config, Rwkv7ForCausalLM
from cdr_trainer.architectures.delta_rule import delta_rule
from cdr_trainer.architectures.rwkv7 import DECAY

RANKS = {"decay_rank": 32, "rate_rank": 32, "value_rank": 32, "gate_rank": 32}
SMALL = {"hidden_size": 128, "vocab_size": 97, "max_position_embeddings": 128, **RANKS}


def goose() -> Rwkv7ForCausalLM:
    config = Rwkv7Config(num_hidden_layers=3, intermediate_size=256, **SMALL)
    return _stirred(Rwkv7ForCausalLM._from_config(config, dtype=torch.float32))


def mix() -> CdrmixForCausalLM:
    rope = {"rope_type": "default", "rope_theta": 10000.0}
    sizes = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 64, "moe_intermediate_size": 96}
    config = CdrmixConfig(num_hidden_layers=4, pattern="RR*R", rope_parameters=rope, **sizes, **SMALL)
    return _stirred(CdrmixForCausalLM._from_config(config, attn_implementation="sdpa", dtype=torch.float32))


def _stirred(model: torch.nn.Module) -> torch.nn.Module:
    """Projections that start at 0 would hide what is before them."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.05)
    return model.eval()


def tokens(count: int) -> torch.Tensor:
    return torch.randint(0, 97, (2, count), generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("time", [1, 16, 37])
def test_chunks_are_the_recurrence(time: int) -> None:
    generator = torch.Generator().manual_seed(time)
    shape = (2, time, 3, 8)
    read, key, value, removal = (torch.randn(shape, generator=generator) for _ in range(4))
    removal = torch.nn.functional.normalize(removal, dim=-1)
    decay, rate = DECAY * torch.rand(shape, generator=generator), torch.rand(shape, generator=generator)
    state = torch.zeros(2, 3, 8, 8)
    expected = []
    for t in range(time):
        taken = state @ removal[:, t, :, :, None]
        state = state * decay[:, t, :, None, :].exp() - taken * (rate * removal)[:, t, :, None, :]
        state = state + value[:, t, :, :, None] * key[:, t, :, None, :]
        expected.append((state @ read[:, t, :, :, None])[..., 0])
    torch.testing.assert_close(
        delta_rule(read, decay, key, value, removal, rate), torch.stack(expected, dim=1), atol=2e-5, rtol=2e-5
    )


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_rwkv7_is_what_the_authors_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "RWKV_V7_ON", "1")
    monkeypatch.setitem(os.environ, "RWKV_JIT_ON", "0")
    from rwkv.model import RWKV

    model, ids = goose(), tokens(37)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    for name in [name for name in state if name.endswith("r_k")]:
        state[name] = state[name].view(2, 64)
    torch.save(state, tmp_path / "goose.pth")
    theirs, _ = RWKV(str(tmp_path / "goose"), "cpu fp32").forward(ids[0].tolist(), None, full_output=True)
    torch.testing.assert_close(model(ids).logits[0], theirs, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("make", [goose, mix])
def test_no_token_sees_a_later_one(make) -> None:
    model, ids = make(), tokens(40)
    torch.testing.assert_close(model(ids[:, :23]).logits, model(ids).logits[:, :23], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("make", [goose, mix])
def test_saved_and_loaded_it_is_the_same(make, tmp_path: Path) -> None:
    model, ids = make(), tokens(20)
    model.save_pretrained(tmp_path)
    architectures.register()
    again = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
    assert torch.equal(again(ids).logits, model(ids).logits)
    longer = again.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=3, do_sample=False, pad_token_id=0
    )
    assert torch.equal(longer[:, 20], model(ids).logits[:, -1].argmax(dim=-1))


@pytest.mark.parametrize("make", [goose, mix])
def test_every_parameter_has_a_gradient_and_recomputation_changes_none(make) -> None:
    model, ids = make().train(), tokens(20)
    model(ids, labels=ids).loss.backward()
    gradients = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model(ids, labels=ids).loss.backward()
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, gradients[name], msg=name)


def test_uneven_experts_cost_more() -> None:
    model, ids = mix(), tokens(20)
    plain = model(ids, labels=ids).loss
    weighed = model.train()(ids, labels=ids).loss
    assert weighed > plain

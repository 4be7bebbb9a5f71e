import pytest
import torch
import transformers

from cdr_trainer import generate
from cdr_trainer.config import Config

SHAPE = {"vocab_size": 16, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**SHAPE))


def written(model, temperature, top_k=None, top_p=None):
    config = Config(temperature=temperature, top_k=top_k, top_p=top_p)
    ids = torch.tensor([[1, 2, 3]])
    mask = torch.ones_like(ids)
    return model.generate(ids, attention_mask=mask, max_new_tokens=4, pad_token_id=0, **generate.sampling(config))


@pytest.mark.parametrize("temperature", [1e-300, 1e-40, 1e-5])
def test_the_coldest_text_is_the_likeliest(model, temperature):
    assert torch.equal(written(model, temperature), written(model, 0))


@pytest.mark.parametrize(
    "figures", [{"temperature": 1e-4}, {"temperature": 1e30}, {"temperature": 1, "top_p": 0.0, "top_k": 10**6}]
)
def test_every_figure_that_a_file_may_say_samples(model, figures):
    assert written(model, **figures).shape[1] <= 7


def test_what_is_printed_says_no_terminal_what_to_do():
    assert generate.printable("a\tb\n\x11\x00\x1b[2J\x85é") == "a\tb\n\\x11\\x00\\x1b[2J\\x85é"

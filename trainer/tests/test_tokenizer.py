"""Byte and BPE tokenizers give back what they were given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cdr_trainer import tokenizer as tokenizers
from cdr_trainer.config import Config
from cdr_trainer.errors import UserError

TEXT = "def f(x):\n    return 'größe 日本 🙂'  # <|end|> is text here\n"


def made(kind: str, **changes: object) -> tokenizers.Tokenizer:
    config = Config(
        **{"kind": kind, "specials": ["<|end|>", "<|pad|>"], "vocab": 320, "sample_bytes": 10**6, **changes}
    )
    return tokenizers.make(config, Path(), None, [TEXT * 20])


def test_bytes_are_their_own_ids() -> None:
    tokenizer = made("bytes")
    assert tokenizer.encode([TEXT])[0].tolist() == list(TEXT.encode())
    assert (tokenizer.end, tokenizer.size) == (256, 258)
    assert tokenizer.library.encode("é", add_special_tokens=False).ids == list("é".encode())


@pytest.mark.parametrize("kind", ["bytes", "bpe"])
def test_round_trip_after_saving(kind: str, tmp_path: Path) -> None:
    made(kind).save(tmp_path)
    tokenizer = tokenizers.load(tmp_path)
    ids = [int(token) for token in tokenizer.encode([TEXT])[0]]
    assert tokenizer.decode(ids) == TEXT
    assert tokenizer.end not in ids and max(ids) < tokenizer.size


def test_learning_is_deterministic() -> None:
    assert made("bpe").library.to_str() == made("bpe").library.to_str()


def test_long_texts_are_cut_where_no_token_crosses() -> None:
    tokenizer = made("bpe")
    long = TEXT * 8000
    assert len(list(tokenizers._pieces(long))) > 1
    assert tokenizer.encode([long])[0] == tokenizer.library.encode(long, add_special_tokens=False).ids


def test_a_vocabulary_that_is_too_small() -> None:
    with pytest.raises(UserError, match="has 258 tokens and the vocabulary of the model 257"):
        made("bytes", vocab=257)


def test_a_file_without_its_end_token(tmp_path: Path) -> None:
    made("bytes").save(tmp_path)
    config = Config(kind="file", path="tokenizer.json", end="</s>", vocab=320)
    with pytest.raises(UserError, match="has no token `</s>`"):
        tokenizers.make(config, tmp_path, None, [])


def published(folder: Path, library: Any, **names: str) -> Config:
    from transformers import PreTrainedTokenizerFast

    made = PreTrainedTokenizerFast(tokenizer_object=library, **names)
    made.chat_template = "{{ messages }}"
    made.save_pretrained(str(folder / "theirs"))
    return Config(kind="hf", name="theirs", revision=None, end=None, token_env=None, vocab=None)


def test_one_that_others_made_keeps_its_end_and_its_chat_template(tmp_path: Path) -> None:
    config = published(tmp_path, made("bpe").library, eos_token="<|end|>", pad_token="<|pad|>")
    tokenizer = tokenizers.make(config, tmp_path, None, [])
    assert tokenizer.encode([TEXT])[0] == made("bpe").encode([TEXT])[0]
    assert (tokenizer.end_text, tokenizer.vocab) == ("<|end|>", tokenizer.size)
    kept = tmp_path / "kept"
    kept.mkdir()
    tokenizer.save(kept)
    assert {path.name for path in kept.iterdir()} == set(tokenizers.FILES)
    assert json.loads((kept / "tokenizer_config.json").read_text())["pad_token"] == "<|pad|>"
    assert tokenizers.load(kept).encode([TEXT])[0] == tokenizer.encode([TEXT])[0]


def test_one_that_names_no_end_needs_it_said(tmp_path: Path) -> None:
    config = published(tmp_path, made("bpe").library)
    with pytest.raises(UserError, match="names no token for the end of a document"):
        tokenizers.make(config, tmp_path, None, [])
    config.end = "<|pad|>"
    assert tokenizers.make(config, tmp_path, None, []).end_text == "<|pad|>"
    config.vocab = 100
    with pytest.raises(UserError, match="the vocabulary of the model 100"):
        tokenizers.make(config, tmp_path, None, [])


def test_texts_stay_whole_where_a_space_is_put_before_each(tmp_path: Path) -> None:
    from tokenizers import Tokenizer as Library
    from tokenizers import models, pre_tokenizers, trainers

    library = Library(models.BPE())
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    library.train_from_iterator([TEXT], trainers.BpeTrainer(vocab_size=200, special_tokens=["</s>"]))
    tokenizer = tokenizers.make(published(tmp_path, library, eos_token="</s>"), tmp_path, None, [])
    long = TEXT * 8000
    assert tokenizer.encode([long])[0] == tokenizer.library.encode(long, add_special_tokens=False).ids


def test_one_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    config = Config(kind="hf", name="nobody/nothing", revision=None, end=None, token_env=None, vocab=None)
    with pytest.raises(UserError, match="the tokenizer `nobody/nothing` cannot be loaded from the Hub"):
        tokenizers.make(config, tmp_path, None, [])
    config.name = "./misspelt"
    with pytest.raises(UserError, match=r"`./misspelt` is not there: there is no folder .*misspelt"):
        tokenizers.make(config, tmp_path, None, [])
    (tmp_path / "empty").mkdir()
    config.name = "empty"
    with pytest.raises(UserError, match="empty holds no tokenizer that `transformers` reads"):
        tokenizers.make(config, tmp_path, None, [])


def test_a_pair_becomes_a_token_only_if_it_occurs_often_enough() -> None:
    def tokens(least: int) -> set[str]:
        config = {"kind": "bpe", "specials": ["<|end|>"], "vocab": 300, "sample_bytes": 10**6, "min_count": least}
        return set(tokenizers.make(Config(**config), Path(), None, ["qz " * 50 + "xj " * 5]).library.get_vocab())

    assert {"qz", "xj"} <= tokens(5)
    assert {"qz", "xj"} & tokens(6) == {"qz"}

"""Byte and BPE tokenizers give back what they were given."""

from __future__ import annotations

from pathlib import Path

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

"""Tokenizers as one thing, made here or by others: text to ids, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import hub
from .config import Config
from .errors import PREFLIGHT, UserError
from .files import read_json, write_json

FILES = ("tokenizer.json", "tokenizer_config.json", "tokenizer_meta.json", "chat_template.jinja")
# Longer texts are cut before they are encoded: the library keeps about a hundred bytes per byte of input.
_PIECE = 1 << 18
_CUT = ("a word\nand more", "a word\n", "and more")


@dataclass(frozen=True)
class Tokenizer:
    """`vocab` counts the rows of the embedding, padding included; `size` the ids that exist; `end` is one of them."""

    kind: str
    vocab: int
    size: int
    end: int
    end_text: str
    library: Any
    published: Any = None
    """As `transformers` knows it, with its chat template and its other special tokens, where others made it."""

    def encode(self, texts: list[str]) -> list[Any]:
        """Ids of each text, as arrays or lists. Names of special tokens inside a text are ordinary text."""
        if self.kind == "bytes":
            import numpy

            return [numpy.frombuffer(text.encode("utf-8", "replace"), dtype=numpy.uint8) for text in texts]
        cut = _pieces if self._joins() else lambda text: [text]
        pieces = [list(cut(text)) for text in texts]
        flat = iter(
            self.library.encode_batch_fast([piece for one in pieces for piece in one], add_special_tokens=False)
        )
        return [[token for _ in one for token in next(flat).ids] for one in pieces]

    def _joins(self) -> bool:
        """Whether the lines of a text have the tokens of the whole; not where a space is put before each text."""
        whole, first, second = (self.library.encode(text, add_special_tokens=False).ids for text in _CUT)
        return bool(whole == first + second)

    def decode(self, ids: list[int]) -> str:
        return str(self.library.decode(ids, skip_special_tokens=True))

    def save(self, folder: Path) -> None:
        """`tokenizer.json` and what `transformers` and this package need beside it."""
        if self.published is None:
            self.library.save(str(folder / FILES[0]), pretty=False)
            hugging_face = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": self.end_text}
            write_json(folder / FILES[1], hugging_face | {"clean_up_tokenization_spaces": False})
        else:
            self.published.save_pretrained(str(folder))
        facts = {"kind": self.kind, "vocab": self.vocab, "size": self.size}
        write_json(folder / FILES[2], facts | {"end": self.end, "end_text": self.end_text})


def load(folder: Path) -> Tokenizer:
    """A tokenizer that `save` wrote."""
    try:
        meta = read_json(folder / FILES[2])
        return Tokenizer(**meta, library=_open(folder / FILES[0]))
    except FileNotFoundError as error:
        raise UserError(f"{folder} holds no tokenizer: {Path(error.filename).name} is missing") from error


def fingerprint(folder: Path) -> str:
    return hashlib.sha256((folder / FILES[0]).read_bytes()).hexdigest()


def make(config: Config, project: Path, given: Path | None, sample: Iterable[str]) -> Tokenizer:
    """`sample` is read only by a tokenizer that learns; `given` is the directory of the input `tokenizer`."""
    if config.kind == "input":
        if given is None:
            raise UserError("the tokenizer comes from another step, and no `--input tokenizer=DIR` was given")
        return load(given)
    if config.kind == "bytes":
        return _bytes(config)
    if config.kind == "bpe":
        return _learn(config, sample)
    if config.kind == "hf":
        return _published(config, project)
    return _file(config, project)


def _bytes(config: Config) -> Tokenizer:
    from tokenizers import Tokenizer as Library
    from tokenizers import decoders, models, pre_tokenizers

    library = Library(models.BPE(vocab={char: byte for byte, char in _byte_alphabet().items()}, merges=[]))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    library.decoder = decoders.ByteLevel()
    return _finished("bytes", library, config.specials, config.vocab)


def _byte_alphabet() -> dict[int, str]:
    """GPT-2's printable stand-ins: a printable Latin-1 byte is itself, the others are numbered from U+0100."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + n) for n, byte in enumerate(others)}


def _learn(config: Config, sample: Iterable[str]) -> Tokenizer:
    from tokenizers import Tokenizer as Library
    from tokenizers import decoders, models, pre_tokenizers, trainers

    library = Library(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=config.vocab,
        special_tokens=list(config.specials),
        min_frequency=config.get("min_count", 0),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    library.train_from_iterator((piece for text in sample for piece in _pieces(text)), trainer)
    return _finished("bpe", library, config.specials, config.vocab)


def _file(config: Config, project: Path) -> Tokenizer:
    library = _open(project / config.path)
    if library.token_to_id(config.end) is None:
        raise UserError(f"{config.path} has no token `{config.end}`; name one of its tokens as the end of a document")
    return _finished("file", library, [config.end], config.vocab)


def _published(config: Config, project: Path) -> Tokenizer:
    """Of the Hub, or a folder of the project. Its own end token, unless the file names another."""
    from transformers import AutoTokenizer

    folder = project / config.name
    is_here = folder.is_dir()
    if not is_here and not hub.is_repository(config.name):
        raise UserError(
            f"the tokenizer `{config.name}` is not there: there is no folder {folder.resolve()}", PREFLIGHT
        )
    token = hub.token_of(config.get("token_env", None))
    place = str(folder.resolve()) if is_here else config.name
    try:
        made = AutoTokenizer.from_pretrained(place, revision=config.get("revision", None), token=token)
    except Exception as error:
        if is_here:
            raise UserError(f"{folder} holds no tokenizer that `transformers` reads: {error}") from error
        raise hub.refused(f"the tokenizer `{config.name}`", error) from error
    if not made.is_fast:
        raise UserError(f"the tokenizer `{config.name}` has no `tokenizer.json`, and none can be made of its files")
    end = config.get("end", None) or made.eos_token
    library = made.backend_tokenizer
    if end is None or library.token_to_id(end) is None:
        lacks = "names no token for the end of a document" if end is None else f"has no token `{end}`"
        raise UserError(f'the tokenizer `{config.name}` {lacks}; name one of its tokens: `hf("…", end = "…")`')
    vocab = config.vocab or library.get_vocab_size(with_added_tokens=True)
    return replace(_finished("hf", library, [end], vocab), published=made)


def _finished(kind: str, library: Any, specials: list[str], vocab: int) -> Tokenizer:
    library.add_special_tokens([name for name in specials if library.token_to_id(name) is None])
    library.encode_special_tokens = True
    size = library.get_vocab_size(with_added_tokens=True)
    if size > vocab:
        raise UserError(f"the tokenizer has {size} tokens and the vocabulary of the model {vocab}; raise `vocab`")
    return Tokenizer(kind, vocab, size, library.token_to_id(specials[0]), specials[0], library)


def _open(path: Path) -> Any:
    from tokenizers import Tokenizer as Library

    if not path.is_file():
        raise FileNotFoundError(2, "no such file", str(path))
    try:
        library = Library.from_file(str(path))
    except Exception as error:
        raise UserError(f"{path} is not a tokenizer of the `tokenizers` library: {error}") from error
    library.encode_special_tokens = True
    return library


def _pieces(text: str) -> Iterator[str]:
    """Cuts after a line end that a visible character follows, where no token of byte-level BPE crosses."""
    start = 0
    while len(text) - start > _PIECE:
        cut = text.find("\n", start + _PIECE)
        while cut >= 0 and cut + 1 < len(text) and text[cut + 1].isspace():
            cut = text.find("\n", cut + 1)
        if cut < 0 or cut + 1 >= len(text):
            break
        yield text[start : cut + 1]
        start = cut + 1
    yield text[start:]

"""Documents to packed token streams: `train.bin`, `val.bin`, their indices, the tokenizer and `meta.json`.

Conversations stay text: `train.jsonl` and `val.jsonl`.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import conversations
from . import tokenizer as tokenizers
from .arguments import ProgramArguments
from .config import Config, load
from .errors import UserError
from .events import Events
from .files import write_json
from .mixture import Part, choose, ordered, quotas, split
from .rank import run
from .reading import text_of
from .results import publish, staging
from .sources import Source, open_source
from .tokens import TokenReader, TokenWriter, dtype_for

_BATCH_CHARACTERS = 1 << 21


@dataclass
class Counts:
    """Of everything that was read, before the split and the mix."""

    documents: int = 0
    bytes: int = 0
    characters: int = 0
    tokens: int = 0


def prepare(arguments: ProgramArguments) -> None:
    started = time.monotonic()
    config = load(arguments.config)
    events = Events(arguments.run_dir, arguments.attempt)
    with staging(arguments.run_dir) as folder:
        scratch = folder / "scratch"
        scratch.mkdir()
        chat = config.get("conversations", None)
        make, pick = (_tokens, text_of) if chat is None else (_conversations, conversations.reader_of(chat.template))
        sources = [open_source(one, arguments.project, config.limit_files, scratch, pick) for one in config.sources]
        meta, said = make(sources, config, arguments, scratch, folder, events)
        shutil.rmtree(scratch)
        write_json(folder / "meta.json", meta)
        publish(folder, arguments.run_dir)
    print(f"{said} in {time.monotonic() - started:.1f} s", flush=True)


Made = tuple[dict[str, Any], str]
"""What `meta.json` says, and what is told."""


def _tokens(
    sources: list[Source], config: Config, arguments: ProgramArguments, scratch: Path, folder: Path, events: Events
) -> Made:
    made = _tokenizer(sources, config, arguments)
    made.save(folder)
    counts = Counts()
    dtype = dtype_for(made.vocab)
    _encode(sources, made, config, scratch, dtype, counts, events)
    meta = _pack(sources, made, config, scratch, folder, dtype, events)
    kept = meta["counts"] = vars(counts) | meta["counts"]
    return meta, (
        f"{kept['documents']:,} documents, {kept['bytes']:,} bytes -> {kept['train_tokens']:,} training and "
        f"{kept['val_tokens']:,} validation tokens"
    )


def _conversations(
    sources: list[Source], config: Config, arguments: ProgramArguments, scratch: Path, folder: Path, events: Events
) -> Made:
    made = None if config.tokenizer.kind == "hf" else _tokenizer(sources, config, arguments)
    meta = conversations.prepare(sources, made, config, arguments.project, folder, events)
    kept = meta["counts"]
    return meta, (
        f"{kept['documents']:,} conversations -> {kept['train_samples']:,} training and {kept['val_samples']:,} "
        "validation samples"
    )


def _tokenizer(sources: list[Source], config: Config, arguments: ProgramArguments) -> tokenizers.Tokenizer:
    sample = sample_documents(sources, config.tokenizer.get("sample_bytes", 0), config.seed)
    return tokenizers.make(config.tokenizer, arguments.project, arguments.inputs.get("tokenizer"), sample)


def sample_documents(sources: list[Source], sample_bytes: int, seed: int) -> Iterator[str]:
    """Texts to learn a tokenizer on: each source gives its share of `sample_bytes`, its files in random order."""
    for number, source in enumerate(sources):
        left = int(sample_bytes * source.config.share)
        files = list(source.files)
        random.Random(f"{seed} {number}").shuffle(files)
        for text in Source(source.config, files, source.open, source.size).documents():
            if left <= 0:
                break
            yield text[:left]
            left -= len(text.encode("utf-8", "replace"))


def _encode(
    sources: list[Source],
    made: tokenizers.Tokenizer,
    config: Config,
    scratch: Path,
    dtype: str,
    counts: Counts,
    events: Events,
) -> None:
    """Each source into a stream of its own, in the order of its files."""
    total = sum(source.size for source in sources)
    done = 0

    def on_bytes(count: int) -> None:
        nonlocal done
        done += count
        events.progress(done, total, "bytes")

    end = made.end if config.document_end else None
    for number, source in enumerate(sources):
        writer = TokenWriter(scratch, f"source-{number}", dtype)
        for texts in _batches(source.documents(on_bytes)):
            for text, ids in zip(texts, made.encode(texts)):
                writer.append(ids, end)
                counts.documents += 1
                counts.characters += len(text)
                counts.bytes += len(text.encode("utf-8", "replace"))
        counts.tokens += writer.tokens
        writer.close()
        if source.skipped:
            events.warning(
                f"data source `{source.config.name}`: {len(source.skipped)} files that are not text skipped"
            )


def _batches(texts: Iterator[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _pack(
    sources: list[Source],
    made: tokenizers.Tokenizer,
    config: Config,
    scratch: Path,
    folder: Path,
    dtype: str,
    events: Events,
) -> dict[str, object]:
    """Splits, mixes and shuffles the sources' documents into `train` and `val`."""
    readers = [TokenReader(scratch, f"source-{number}", dtype) for number in range(len(sources))]
    train, val = [], []
    for number, reader in enumerate(readers):
        settings = sources[number].config
        for side, documents in zip(
            (train, val), split(len(reader.starts), config.split.val, config.split.seed, number)
        ):
            side.append(Part(documents, reader.lengths[documents], settings.share, settings.max_epochs))
    wanted = quotas(train)
    for number, (part, quota) in enumerate(zip(train, wanted)):
        if quota > 4 * part.tokens:
            name = sources[number].config.name
            events.warning(
                f"data source `{name}` is repeated {quota / max(part.tokens, 1):.1f} times to fill its share"
            )
    chosen = [
        choose(part, quota, config.seed, n, config.shuffle) for n, (part, quota) in enumerate(zip(train, wanted))
    ]
    kept_train = ordered(chosen, config.seed if config.shuffle else None)
    kept_val = ordered([part.documents for part in val], None)

    writers = {"train": TokenWriter(folder, "train", dtype), "val": TokenWriter(folder, "val", dtype)}
    tail = 0
    if config.split.val > 0 and len(kept_val) == 0:
        tail = round(config.split.val * sum(int(readers[n].lengths[d]) for n, d in kept_train))
        events.warning(f"too few documents to split: the last {tail:,} tokens of the data are the validation part")
    _write(writers["train"], readers, kept_train, writers["val"], tail)
    _write(writers["val"], readers, kept_val, None, 0)
    digests = {name: writer.close() for name, writer in writers.items()}
    sizes = {name: writer.tokens for name, writer in writers.items()}
    _check_sizes(sizes, config)
    return {
        "format": 1,
        "dtype": dtype,
        "vocab": made.vocab,
        "end": made.end,
        "sequence": config.sequence,
        "document_end": config.document_end,
        "fingerprint": digests | {"tokenizer": tokenizers.fingerprint(folder)},
        "counts": {
            "train_tokens": sizes["train"],
            "val_tokens": sizes["val"],
            "samples": (sizes["train"] - 1) // config.sequence,
            "val_samples": max(0, sizes["val"] - 1) // config.sequence,
        },
        "sources": [
            {"name": source.config.name, "share": source.config.share, "train_tokens": int(taken)}
            for source, taken in zip(sources, _taken(readers, chosen))
        ],
    }


def _taken(readers: list[TokenReader], chosen: list[np.ndarray]) -> list[int]:
    return [int(reader.lengths[documents].sum()) for reader, documents in zip(readers, chosen)]


def _write(
    writer: TokenWriter, readers: list[TokenReader], order: np.ndarray, rest: TokenWriter | None, tail: int
) -> None:
    """Documents in order; the last `tail` tokens of all go to `rest`."""
    left = sum(int(readers[n].lengths[d]) for n, d in order) - tail
    for number, document in order:
        tokens = readers[number].document(document)
        if left > 0:
            writer.append(tokens[:left])
        if left < len(tokens) and rest is not None:
            rest.append(tokens[max(left, 0) :])
        left -= len(tokens)


def _check_sizes(sizes: dict[str, int], config: Config) -> None:
    """A sample of `sequence` tokens needs one more: the target of its last position."""
    need = config.sequence + 1
    if sizes["train"] < need:
        raise UserError(
            f"the data has {sizes['train']:,} training tokens, and one sequence of {config.sequence} needs {need:,}: "
            "add data or shorten `sequence`"
        )
    if config.split.val > 0 and sizes["val"] < need:
        raise UserError(
            f"the validation part ({config.split.val:.3g} of the documents) has {sizes['val']:,} tokens, and one "
            f"sequence of {config.sequence} needs {need:,}: raise that share, add data or shorten `sequence`"
        )


if __name__ == "__main__":
    run(prepare)

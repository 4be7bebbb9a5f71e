"""Conversations to JSON lines of messages, as engines read them that turn them into tokens themselves.

Megatron's `--sft` (megatron/training/datasets/sft_dataset.py) makes one sample of a line, cut or padded to the
sequence; of the conversations in a line each but the first begins where a system message stands.
"""

from __future__ import annotations

import json
import shutil
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .config import Config
from .errors import UserError
from .events import Events
from .files import read_json, write_json
from .mixture import Part, choose, ordered, quotas, split
from .reading import Pick
from .sources import Source
from .tokenizer import FILES, Tokenizer

# Tokens that a template writes around a message and around a conversation, at most: Llama 3.1's are 6 and 26.
_AROUND_MESSAGE = 8
_AROUND_CONVERSATION = 32
# Of megatron/core/tokenizers/text/libraries/sft_tokenizer.py: what stands where nothing stands.
_PADS = {"contents": "<unk>", "nemotron_h_aligned": "<SPECIAL_233>", "nemotron_nano_v2": "<unk>"}
_ROLES = ("system", "user", "assistant", "tool")


def reader_of(template: str) -> Pick:
    """Takes the messages of a row as JSON text; refuses what the engine would stop at in the middle of a run."""
    masks = template.startswith("nemotron")

    def conversation_of(value: Any, column: str, where: str) -> str:
        if not isinstance(value, list) or not value:
            raise UserError(f"{where}: `{column}` holds {_kind(value)}, not a list of messages")
        before = ""
        for number, message in enumerate(value, 1):
            at = f"{where}: message {number}"
            _check_message(message, at)
            if masks:
                _check_turn(message, before, at)
            before = message["role"]
        return json.dumps(value, ensure_ascii=False)

    return conversation_of


def _check_message(message: Any, at: str) -> None:
    if not isinstance(message, dict):
        raise UserError(f"{at} is {_kind(message)}, not an object with `role` and `content`")
    for key in ("role", "content"):
        if not isinstance(message.get(key), str):
            raise UserError(f"{at} has no text as its `{key}`; it has {', '.join(message) or 'nothing'}")


def _check_turn(message: dict[str, str], before: str, at: str) -> None:
    """Of sft_tokenizer.py: tokenize_conversation, where it masks what is no answer."""
    role = message["role"]
    if role not in _ROLES:
        raise UserError(f"{at} is of `{role}`; roles are {', '.join(_ROLES)}")
    if role == "assistant" and not message["content"]:
        raise UserError(f"{at} is an empty answer")
    if role == "assistant" and before not in ("user", "tool"):
        raise UserError(f"{at} answers nobody: a message of the user or of a tool stands before an answer")


def _kind(value: Any) -> str:
    return "an empty list" if value == [] else type(value).__name__


def prepare(
    sources: list[Source], made: Tokenizer | None, config: Config, project: Path, folder: Path, events: Events
) -> dict[str, Any]:
    """Writes `train.jsonl`, `val.jsonl` and the tokenizer into `folder`; returns what `meta.json` says.

    Without a tokenizer at hand (it is opened by its name where the stage runs) lengths are characters, and every line
    is one conversation.
    """
    template = config.conversations.template
    if made is not None:
        _check_pad(made, template)
        made.save(folder)
        _take_template(made, config, project, folder, events)
    scratch = folder / "scratch"
    stores = [
        Store(scratch / f"source-{number}.jsonl", source, made, events) for number, source in enumerate(sources)
    ]
    train, val = [], []
    for number, store in enumerate(stores):
        settings = sources[number].config
        for side, rows in zip(
            (train, val), split(len(store.lengths), config.split.val, config.split.seed, number), strict=True
        ):
            side.append(Part(rows, store.lengths[rows], settings.share, settings.max_epochs))
    chosen = [
        choose(part, quota, config.seed, number, config.shuffle)
        for number, (part, quota) in enumerate(zip(train, quotas(train), strict=True))
    ]
    kept = {
        "train": ordered(chosen, config.seed if config.shuffle else None),
        "val": ordered([part.documents for part in val], None),
    }
    if config.split.val > 0 and len(kept["val"]) == 0:
        if len(kept["train"]) < 2:
            raise UserError(
                "there is one conversation: none can be held out for validation; add data or hold out `none`"
            )
        events.warning("too few conversations to split: the last one is the validation part")
        kept = {"train": kept["train"][:-1], "val": kept["train"][-1:]}
    room = 0 if made is None else config.sequence
    counts: dict[str, Any] = {"documents": sum(len(store.lengths) for store in stores)}
    for name, rows in kept.items():
        counts |= {
            f"{name}_conversations": len(rows),
            f"{name}_samples": _write(folder / f"{name}.jsonl", rows, stores, room),
        }
    if made is not None:
        long = sum(int((store.lengths > config.sequence).sum()) for store in stores)
        if long:
            events.warning(f"{long:,} conversations are longer than {config.sequence:,} tokens and lose their end")
    return {"format": 1, "sequence": config.sequence, "template": template, "counts": counts}


class Store:
    """The conversations of a source in one file, with their lengths."""

    def __init__(self, path: Path, source: Source, made: Tokenizer | None, events: Events) -> None:
        starts, lengths, begins = array("q", [0]), array("q"), array("b")
        with open(path, "wb") as file:
            for text in source.documents():
                messages = json.loads(text)
                starts.append(starts[-1] + file.write(text.encode("utf-8", "replace")))
                lengths.append(_length(messages, made))
                begins.append(messages[0]["role"] == "system")
        if source.skipped:
            events.warning(
                f"data source `{source.config.name}`: {len(source.skipped)} files that are not text skipped"
            )
        self.lengths, self.begins = np.array(lengths), np.array(begins)
        self._starts, self._bytes = starts, np.memmap(path, mode="r")

    def read(self, row: int) -> list[Any]:
        return json.loads(self._bytes[self._starts[row] : self._starts[row + 1]].tobytes())


def _length(messages: list[dict[str, str]], made: Tokenizer | None) -> int:
    contents = [message["content"] for message in messages]
    if made is None:
        return sum(map(len, contents))
    return _AROUND_CONVERSATION + sum(len(ids) + _AROUND_MESSAGE for ids in made.encode(contents))


def _write(path: Path, rows: np.ndarray, stores: list[Store], room: int) -> int:
    """Lines of conversations, each as full as `room` tokens allow; returns how many."""
    lines = 0
    with open(path, "w", encoding="utf-8") as file:
        for line in _lines(rows, stores, room):
            messages = [message for number, row in line for message in stores[number].read(row)]
            file.write(json.dumps({"messages": messages}, ensure_ascii=False) + "\n")
            lines += 1
    return lines


def _lines(rows: np.ndarray, stores: list[Store], room: int) -> Iterator[list[tuple[int, int]]]:
    line: list[tuple[int, int]] = []
    left = 0
    for number, row in rows:
        store = stores[number]
        if line and not (store.begins[row] and store.lengths[row] <= left):
            yield line
            line = []
        left = (left if line else room) - store.lengths[row]
        line.append((number, row))
    if line:
        yield line


def _check_pad(made: Tokenizer, template: str) -> None:
    pad = _PADS.get(template)
    if pad is not None and made.library.token_to_id(pad) is None:
        raise UserError(
            f"conversations written out as `{template}` are padded with {pad}, which the tokenizer does not have; "
            "add it to the tokenizer's `specials` or take another template"
        )


def _take_template(made: Tokenizer, config: Config, project: Path, folder: Path, events: Events) -> None:
    """The chat template and the names of tokens that stand beside a `tokenizer.json` go on with it."""
    if config.conversations.template != "tokenizer":
        return
    beside = (project / config.tokenizer.path).parent if config.tokenizer.kind == "file" else None
    settings = read_json(beside / FILES[1]) if beside is not None and (beside / FILES[1]).is_file() else {}
    template = beside / "chat_template.jinja" if beside is not None else None
    if template is not None and template.is_file():
        shutil.copyfile(template, folder / template.name)
    elif "chat_template" not in settings:
        raise UserError(
            "the tokenizer has no chat template: none is in tokenizer_config.json or chat_template.jinja beside it; "
            "write `format = chat(template = contents)`, or take a tokenizer that has one"
        )
    if settings.get("pad_token") is None:
        events.warning(
            f"the tokenizer names no `pad_token`: {made.end_text} stands for what is empty, and the loss leaves it "
            "out at the ends of answers too"
        )
    wanted = ("chat_template", "pad_token", "bos_token", "unk_token")
    write_json(
        folder / FILES[1], read_json(folder / FILES[1]) | {key: settings[key] for key in wanted if key in settings}
    )

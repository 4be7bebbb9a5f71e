"""Conversations as lines of messages, and what is wrong with some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import Bench, Result, prepare_config

SYSTEM = {"role": "system", "content": "Be brief."}
TURNS = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]


def rows_of(conversations: list[Any]) -> str:
    return "".join(json.dumps({"messages": one}) + "\n" for one in conversations)


def prepared(tmp_path: Path, conversations: list[Any], template: str = "contents", **changes: Any) -> Result:
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    (project / "chats.jsonl").write_text(rows_of(conversations))
    tokenizer = {"kind": "bytes", "specials": ["<|end|>", "<unk>"], "vocab": 264}
    source = {"kind": "files", "patterns": ["chats.jsonl"], "column": "messages"}
    wanted = {"tokenizer": tokenizer, "conversations": {"template": template}, "sequence": 256, **changes}
    return Bench(tmp_path / "bench").run("prepare", prepare_config([source], **wanted), "data", project=project)


def lines_of(result: Result, name: str) -> list[list[dict[str, str]]]:
    text = (result.run_dir / "result" / f"{name}.jsonl").read_text()
    return [json.loads(line)["messages"] for line in text.splitlines()]


def numbered(count: int, *, system: bool) -> list[Any]:
    asked = [[{"role": "user", "content": f"{n}?"}, TURNS[1]] for n in range(count)]
    return [[SYSTEM, *turns] if system else turns for turns in asked]


@pytest.mark.parametrize("system", [True, False])
def test_each_conversation_stands_once_and_lines_hold_whole_ones(tmp_path: Path, system: bool) -> None:
    given = numbered(40, system=system)
    result = prepared(tmp_path, given)
    assert result.code == 0, result.stderr
    lines = {name: lines_of(result, name) for name in ("train", "val")}
    # A conversation takes 32 tokens, 8 a message, and its bytes: three fit where system messages begin them.
    assert max(len(line) // len(given[0]) for line in lines["train"]) == (3 if system else 1)
    width = len(given[0])
    found = [line[at : at + width] for side in lines.values() for line in side for at in range(0, len(line), width)]
    assert sorted(found, key=str) == sorted(given, key=str)
    counts = json.loads((result.run_dir / "result" / "meta.json").read_text())["counts"]
    assert counts["documents"] == 40 and counts["val_conversations"] == 4
    assert counts["train_samples"] == len(lines["train"])


def test_tokenizers_that_are_opened_elsewhere_leave_a_conversation_a_line(tmp_path: Path) -> None:
    named = {"kind": "hf", "name": "owner/name", "vocab": None}
    result = prepared(tmp_path, numbered(10, system=True), "tokenizer", tokenizer=named)
    assert result.code == 0, result.stderr
    assert {len(line) for line in lines_of(result, "train")} == {3}
    assert not (result.run_dir / "result" / "tokenizer.json").exists()


def test_few_conversations_hold_out_the_last_one(tmp_path: Path) -> None:
    result = prepared(tmp_path, numbered(3, system=True))
    assert result.code == 0, result.stderr
    assert len(lines_of(result, "val")) == 1
    assert "the last one is the validation part" in result.events("warning")[0]["message"]


def test_a_tokenizer_of_a_file_brings_its_chat_template(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models

    project = tmp_path / "project"
    project.mkdir()
    Tokenizer(models.BPE(vocab={"<end>": 0, "<pad>": 1, "a": 2}, merges=[])).save(str(project / "tokenizer.json"))
    tokenizer = {"kind": "file", "path": "tokenizer.json", "end": "<end>", "vocab": 3}
    lacking = prepared(tmp_path, numbered(20, system=True), "tokenizer", tokenizer=tokenizer)
    assert lacking.code == 65 and "the tokenizer has no chat template" in lacking.stderr
    settings = {"chat_template": "{{ messages }}", "pad_token": "<pad>", "tokenizer_class": "Other"}
    (project / "tokenizer_config.json").write_text(json.dumps(settings))
    result = prepared(tmp_path, numbered(20, system=True), "tokenizer", tokenizer=tokenizer)
    assert result.code == 0, result.stderr
    kept = json.loads((result.run_dir / "result" / "tokenizer_config.json").read_text())
    assert kept["chat_template"] == "{{ messages }}" and kept["pad_token"] == "<pad>" and kept["eos_token"] == "<end>"
    assert kept["tokenizer_class"] == "PreTrainedTokenizerFast"
    assert not result.events("warning")


WRONG = [
    ("text", "contents", "chats.jsonl:3: `messages` holds str, not a list of messages"),
    ([], "contents", "holds an empty list"),
    (["hello"], "contents", "chats.jsonl:3: message 1 is str"),
    ([{"from": "human", "value": "hi"}], "contents", "message 1 has no text as its `role`; it has from, value"),
    ([{"role": "user", "content": [{"type": "text"}]}], "contents", "has no text as its `content`"),
    ([{"role": "human", "content": "hi"}], "nemotron_nano_v2", "message 1 is of `human`; roles are system"),
    ([SYSTEM, TURNS[1]], "nemotron_nano_v2", "message 2 answers nobody"),
    ([TURNS[0], {"role": "assistant", "content": ""}], "nemotron_nano_v2", "message 2 is an empty answer"),
    (TURNS, "nemotron_h_aligned", "padded with <SPECIAL_233>, which the tokenizer does not have"),
]


@pytest.mark.parametrize(("row", "template", "said"), WRONG)
def test_wrong_conversations_are_named(tmp_path: Path, row: Any, template: str, said: str) -> None:
    result = prepared(tmp_path, [TURNS, TURNS, row], template)
    assert result.code == 65, result.stderr
    assert said in result.stderr and "Traceback" not in result.stderr
    assert not (result.run_dir / "result").exists()


def test_turns_that_no_format_masks_may_be_anybody_s(tmp_path: Path) -> None:
    assert prepared(tmp_path, [[{"role": "critic", "content": "no"}]] * 12).code == 0

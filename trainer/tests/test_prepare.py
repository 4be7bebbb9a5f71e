"""Data sets from files, and what is wrong with some."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import Bench, prepare_config

DATA_ERRORS = [
    ({"patterns": ["nowhere/*.txt"]}, {}, "no file matches `nowhere/*.txt`"),
    ({"patterns": ["docs/*.png"]}, {}, "has no text: 1 of its 1 files are binary"),
    ({"patterns": ["rows.jsonl"]}, {}, "no key `text`; it has `body`"),
    ({"patterns": ["docs/one.md"]}, {"sequence": 1024}, "one sequence of 1024 needs 1,025"),
    ({"patterns": ["rows.jsonl"], "column": "body"}, {"split": {"val": 0.01, "seed": 1}}, "the validation part"),
]


@pytest.mark.parametrize(("source", "changes", "said"), DATA_ERRORS)
def test_wrong_data(tmp_path: Path, project: Path, source: dict, changes: dict, said: str) -> None:
    bench = Bench(tmp_path / "bench")
    config = prepare_config([{"kind": "files", "column": "text", **source}], **changes)
    result = bench.run("prepare", config, "data", project=project)
    assert result.code == 65, result.stderr
    assert said in result.stderr and "Traceback" not in result.stderr
    left = {path.name for path in result.run_dir.iterdir()}
    assert left == {"control", "events.jsonl", "exit", "lock", "logs"}
    assert result.events("failure")[0]["cause"] in result.stderr


def test_prepared_data(tmp_path: Path, project: Path) -> None:
    bench = Bench(tmp_path / "bench")
    sources = [
        {"kind": "files", "column": "text", "patterns": ["docs"], "share": 0.5},
        {"kind": "files", "column": "body", "patterns": ["rows.jsonl"], "share": 0.5},
    ]
    result = bench.run("prepare", prepare_config(sources), "data", project=project)
    assert result.code == 0, result.stderr
    meta = json.loads((result.run_dir / "result" / "meta.json").read_text())
    size = (result.run_dir / "result" / "train.bin").stat().st_size
    assert meta["dtype"] == "uint16" and size == 2 * meta["counts"]["train_tokens"]
    assert meta["counts"]["documents"] == 33
    assert "1 files that are not text" in result.events("warning")[0]["message"]
    again = bench.run("prepare", prepare_config(sources), "data-2", project=project)
    assert json.loads((again.run_dir / "result" / "meta.json").read_text())["fingerprint"] == meta["fingerprint"]


def test_one_document_is_split_by_tokens(tmp_path: Path, project: Path) -> None:
    bench = Bench(tmp_path / "bench")
    config = prepare_config([{"kind": "files", "column": "text", "patterns": ["docs/one.md"]}], sequence=16)
    result = bench.run("prepare", config, "data", project=project)
    counts = json.loads((result.run_dir / "result" / "meta.json").read_text())["counts"]
    assert counts["val_tokens"] == round(0.1 * counts["tokens"])
    assert counts["train_tokens"] + counts["val_tokens"] == counts["tokens"]

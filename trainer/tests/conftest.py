"""One prepared data set for all tests, and runs of the node agent on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import Bench, prepare_config


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """About 150 documents of the standard library's documentation, byte tokens, sequences of 32."""
    made = Bench(tmp_path_factory.mktemp("bench"))
    config = prepare_config([{"kind": "python_stdlib", "part": "docs"}], sequence=32, limit_files=60)
    result = made.run("prepare", config, name="data")
    assert result.code == 0, result.stderr
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project: three texts, one of them in another encoding."""
    folder = tmp_path / "project"
    (folder / "docs" / "deep").mkdir(parents=True)
    (folder / "docs" / "one.md").write_text("# One\n" + "first words\n" * 40)
    (folder / "docs" / "two.txt").write_bytes("zwölf Boxkämpfer\n".encode("utf-16") * 1)
    (folder / "docs" / "deep" / "three.txt").write_bytes(("très déjà vu café\n" * 30).encode("latin-1"))
    (folder / "docs" / "picture.png").write_bytes(b"\x89PNG\0\0\0" + bytes(range(256)))
    (folder / "rows.jsonl").write_text("".join(json.dumps({"body": f"row {n} of many"}) + "\n" for n in range(30)))
    return folder

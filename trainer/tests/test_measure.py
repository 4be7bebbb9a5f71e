"""The measuring program, with real ranks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import Bench

CONFIG = {
    "format": 1,
    "step": "measure",
    "seed": 1,
    "rounds": 2,
    "dtypes": ["float32"],
    "products": [[64, 64, 64], [128, 256, 64]],
    "bytes": [1 << 16],
    "attention": [[1, 2, 64, 16]],
    "messages": [4096, 1 << 16],
}


@pytest.mark.slow
@pytest.mark.parametrize("world", [1, 2])
def test_every_case_is_measured(tmp_path: Path, world: int) -> None:
    bench = Bench(tmp_path)
    result = bench.run("measure", {**CONFIG, "world": world}, name="measure")
    assert result.code == 0, result.stderr
    found = json.loads((result.run_dir / "result" / "measurements.json").read_text())
    kinds = [case["kind"] for case in found["cases"]]
    assert kinds.count("product") == 2
    assert kinds.count("collective") == (4 if world > 1 else 0)
    assert all(0 < case["seconds"] < 1 for case in found["cases"])
    assert found["world"] == world
    done = [event["done"] for event in result.events("progress")]
    assert done[-1] == 2 * len(kinds)

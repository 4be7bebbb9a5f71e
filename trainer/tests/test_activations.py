"""Layers that DeepSpeed recomputes train as those whose activations are kept."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import Bench, deepspeed_config, train_config


@pytest.mark.slow
def test_recomputed_by_the_engine_is_recomputed_to_the_bit(bench: Bench) -> None:
    """With dropout, whose masks a second pass has to draw again; of a whole model, and above a frozen layer."""
    tuning = {"adapters": None, "layers": 1, "tables": True, "parameters": 37_536 - 10_304 - 264 * 32}

    def run(name: str, recompute: str, section: dict[str, Any], **changes: Any) -> Any:
        config = train_config(1, 4, "deepspeed", recompute=recompute, eval=None, **changes)
        result = bench.run("train", config, f"activations-{name}", deepspeed=deepspeed_config(config, 2) | section)
        assert result.code == 0, result.stderr
        return result

    by_engine = {"activation_checkpointing": {"cpu_checkpointing": True, "synchronize_checkpoint_boundary": True}}
    for name, changes in {"all": {}, "upper": {"tuning": tuning}}.items():
        kept = run(f"{name}-kept", "none", {}, **changes)
        recomputed = run(f"{name}-recomputed", "full", by_engine, **changes)
        losses = [[line["loss"] for line in one.metrics() if "loss" in line] for one in (kept, recomputed)]
        assert len(losses[0]) == 4 and losses[0] == losses[1]
        assert kept.weights() == recomputed.weights()

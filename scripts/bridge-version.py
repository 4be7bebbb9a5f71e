"""Writes which fields the configuration of an installed Megatron Bridge has: `python scripts/bridge-version.py`.

Run it with a Python that has the wheel, as test/oracles/bridge/python.sh prints one; the file is versions/bridge-VERSION.json of the engine.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/oracles/bridge"))

import absent  # noqa: E402


def main() -> None:
    absent.imagine()
    from importlib.metadata import version

    from megatron.bridge.models.gpt_provider import GPTModelProvider
    from megatron.bridge.models.mamba.mamba_provider import MambaModelProvider
    from megatron.bridge.models.mla_provider import MLAModelProvider
    from megatron.bridge.training import config
    from megatron.bridge.training.mixed_precision import MixedPrecisionConfig
    from megatron.bridge.training.tokenizers.config import TokenizerConfig

    sections = {
        "gpt": GPTModelProvider,
        "mla": MLAModelProvider,
        "hybrid": MambaModelProvider,
        "train": config.TrainingConfig,
        "optimizer": config.OptimizerConfig,
        "scheduler": config.SchedulerConfig,
        "ddp": config.DistributedDataParallelConfig,
        "dataset": config.GPTDatasetConfig,
        "mock": config.MockGPTDatasetConfig,
        "logger": config.LoggerConfig,
        "tokenizer": TokenizerConfig,
        "checkpoint": config.CheckpointConfig,
        "dist": config.DistributedInitConfig,
        "rng": config.RNGConfig,
        "mixed_precision": MixedPrecisionConfig,
    }
    table = {
        "version": version("megatron-bridge"),
        "core": version("megatron-core"),
        "sections": {name: described(kind) for name, kind in sections.items()},
    }
    path = ROOT / f"compiler/engines/megatron/versions/bridge-{table['version']}.json"
    path.write_text(json.dumps(table, indent=2) + "\n")
    print(f"{path.name}: {sum(len(section['fields']) for section in table['sections'].values())} fields")


def described(kind: type) -> dict[str, Any]:
    fields = {
        field.name: field.default if isinstance(field.default, (bool, int, float, str)) else None
        for field in dataclasses.fields(kind)
        if field.init and not field.name.startswith("_")
    }
    return {"target": f"{kind.__module__}.{kind.__qualname__}", "fields": fields}


if __name__ == "__main__":
    main()

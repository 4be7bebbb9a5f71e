"""What the installed Megatron Bridge says of configurations, without starting them.

Reads one JSON list of {yaml, env, world, architecture} from stdin and writes one of {verdict, message, values}: the container is made
from the YAML, brought up to date and validated as `pretrain` does before it starts anything.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import absent
import transformers  # noqa: F401  (it asks which of the absent packages are there)

SECTIONS = ("model", "train", "optimizer", "scheduler", "ddp", "dataset", "checkpoint", "tokenizer", "logger", "rng", "dist")


def judge(asked: dict[str, Any]) -> dict[str, Any]:
    from megatron.bridge.training.config import ConfigContainer, runtime_config_update
    from megatron.bridge.utils.instantiate_utils import InstantiationMode

    kept = dict(os.environ)
    os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
    os.environ.update(asked["env"], WORLD_SIZE=str(asked["world"]), RANK="0", LOCAL_RANK="0")
    said = io.StringIO()
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
            path = Path(folder) / "bridge.yaml"
            path.write_text(asked["yaml"])
            config = ConfigContainer.from_yaml(str(path), mode=InstantiationMode.STRICT)
            runtime_config_update(config)
        values = {name: plain(getattr(config, name)) for name in SECTIONS}
        return {"verdict": "ok", "message": "", "values": values}
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__} {os.path.basename(place.filename)}:{place.lineno} {error}"
        return {"verdict": "error", "message": message[-600:]}
    finally:
        os.environ.clear()
        os.environ.update(kept)


def plain(section: Any) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in vars(section).items()
        if isinstance(value, (str, int, float, bool, list, tuple, type(None)))
    }


if __name__ == "__main__":
    import torch

    torch.cuda.get_device_properties = lambda *_, **__: type("H100", (), {"major": 9, "minor": 0, "name": "H100"})
    torch.cuda.get_device_capability = lambda *_, **__: (9, 0)
    absent.imagine()
    answers = [judge(asked) for asked in json.load(sys.stdin)]
    print(json.dumps(answers, default=str))

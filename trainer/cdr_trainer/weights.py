"""Weights that others trained: a repository of the Hub, or a folder that `transformers` saved.

The node agent starts this once for a node, before the ranks:

    python -m cdr_trainer.weights --config FILE --project DIR

prints the folder that holds them, which the ranks get as their input `from`, or with an exit code why there is none.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from . import hub
from .config import Config, load
from .errors import OK, PREFLIGHT, UserError

SETTINGS = "config.json"
_SAFE = ("model*.safetensors", "model.safetensors.index.json")
_PICKLED = ("pytorch_model*.bin", "pytorch_model.bin.index.json")
# What may differ between those who trained the weights and those who go on: it changes no output of the same weights.
_FREE = ("dropout", "pdrop", "initializer_range", "use_cache", "_coef", "max_position_embeddings", "n_positions")


def folder_of(weights: Config, project: Path) -> Path:
    """Where the weights lie; those of the Hub are downloaded into its client's cache."""
    if weights.kind == "hub":
        repository, revision, token = weights.repository, weights.revision, hub.token_of(weights.token_env)
        found = hub.download(repository, revision, token, (SETTINGS, "generation_config.json", *_SAFE))
        if not is_safe(found):
            found = hub.download(repository, revision, token, (SETTINGS, "generation_config.json", *_PICKLED))
        named = f"`{repository}`"
    else:
        found, named = (project / weights.path).resolve(), weights.path
        if not found.is_dir():
            raise UserError(f"the weights {named} are not there: there is no folder {found}", PREFLIGHT)
    lacks = [SETTINGS] if not (found / SETTINGS).is_file() else []
    lacks += [] if is_safe(found) or _has(found, _PICKLED) else ["model.safetensors"]
    if lacks:
        raise UserError(f"{named} has no {' and no '.join(lacks)}: it holds no weights as `transformers` saves them")
    return found


def is_safe(folder: Path) -> bool:
    """Whether the weights are safetensors, which hold tensors alone."""
    return _has(folder, _SAFE)


def _has(folder: Path, patterns: tuple[str, ...]) -> bool:
    return any(True for pattern in patterns for _ in folder.glob(pattern))


def check_settings(folder: Path, ours: Any, named: list[str]) -> None:
    """Refuses weights of another configuration; `named` are the values of `ours` that the plan says.

    Weights of the same shapes load under another base of rotations or another activation, and give nonsense.
    """
    written = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    kind = written.get("model_type")
    if kind != ours.model_type:
        raise UserError(
            f"{folder} holds weights of the architecture {kind}, and the plan's model is {ours.model_type}"
        )
    theirs = type(ours).from_pretrained(str(folder), local_files_only=True)
    different = [
        f"`{name}` is {_shown(getattr(theirs, name))} there and {_shown(getattr(ours, name))} in the plan"
        for name in named
        if hasattr(theirs, name)
        and not name.endswith(_FREE)
        and _plain(getattr(theirs, name)) != _plain(getattr(ours, name))
    ]
    if different:
        raise UserError(f"the weights of {folder} belong to another model: {'; '.join(different)}")


def _plain(value: Any) -> Any:
    """Settings of the same meaning are equal: 10000 and 10000.0, an absent key and one that is null."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items() if inner is not None}
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _shown(value: Any) -> str:
    return json.dumps(value, default=str)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True, type=Path)
    parser.add_argument("--project", required=True, type=Path)
    given = parser.parse_args()
    try:
        print(folder_of(load(given.config).weights, given.project))
    except UserError as error:
        print(error)
        return error.code
    return OK


if __name__ == "__main__":
    sys.exit(main())

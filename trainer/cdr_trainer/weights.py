"""Weights that others trained: a repository of the Hub, or a folder that `transformers` saved.

The node agent starts this once for a node, before the ranks:

    python -m cdr_trainer.weights --config FILE --project DIR

prints the folder that holds them, which the ranks get as their input `from`, or with an exit code why there is none.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import hub
from .config import Config, load
from .errors import OK, PREFLIGHT, UserError

SETTINGS = "config.json"
_SAFE = ("model*.safetensors", "model.safetensors.index.json")
_PICKLED = ("pytorch_model*.bin", "pytorch_model.bin.index.json")
# What training decides, whoever trained before: it changes no output of the same weights.
_OF_TRAINING = re.compile(r"dropout|pdrop|_coef$|^initializer_range$|^use_cache$")
# What changes what weights of the same shapes compute: only their own configuration knows it.
_OF_WEIGHTS = re.compile(
    r"^rope_|_act$|activation|eps(ilon)?$|^sliding_window$|^layer_types$|_scalar$|_softcapping$|_group$"
)
_ACTIVATION = re.compile(r"_act$|activation")
# GELU with a tanh under the names that `transformers` computes in many operations, which keep as many tensors for backward and
# run in 32 bits under autocast; PyTorch has a kernel for it, and the plan counts on that.
_OF_TANH = ("gelu_new", "gelu_fast", "gelu_accurate", "gelu_python_tanh")
_LONGEST = "max_position_embeddings"
_IDS = ("bos_token_id", "eos_token_id", "pad_token_id")


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


def settings_of(folder: Path, ours: Any, named: Iterable[str]) -> Any:
    """The configuration of weights, for a plan whose model is `ours`; `named` are the values that the plan says.

    What weights of the same shapes compute is theirs to say: they load under another base of rotations or another
    activation, and give nonsense. Shapes, which the plan counted on, must be the same.
    """
    theirs = _read(folder, type(ours), ours.model_type)
    different = [name for name in _differing(theirs, ours, named) if not _OF_WEIGHTS.search(name)]
    if different:
        raise UserError(f"the weights of {folder} belong to another model: {_told(different, theirs, ours)}")
    for name in (*(name for name in named if _OF_TRAINING.search(name)), *_IDS):
        setattr(theirs, name, getattr(ours, name))
    if hasattr(theirs, _LONGEST):
        setattr(theirs, _LONGEST, max(getattr(theirs, _LONGEST), getattr(ours, _LONGEST)))
    return theirs


def differences(folder: Path, ours: Any, named: Iterable[str]) -> str:
    """Where the weights compute something else than the plan says; empty where they do not."""
    theirs = _read(folder, type(ours), ours.model_type)
    return _told([name for name in _differing(theirs, ours, named) if _OF_WEIGHTS.search(name)], theirs, ours)


def _read(folder: Path, kind: Any, named: str) -> Any:
    try:
        written = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {folder / SETTINGS}: {error}") from error
    if written.get("model_type") != named:
        found = written.get("model_type")
        raise UserError(f"{folder} holds weights of the architecture {found}, and the plan's model is {named}")
    if written.get("quantization_config"):
        method = written["quantization_config"].get("quant_method", "unknown")
        raise UserError(f"the weights of {folder} are quantised ({method}); training needs them in 16 or 32 bits")
    found = kind.from_pretrained(str(folder), local_files_only=True)
    for name, value in vars(found).items():
        if _ACTIVATION.search(name) and value in _OF_TANH:
            setattr(found, name, "gelu_pytorch_tanh")
    return found


def _differing(theirs: Any, ours: Any, named: Iterable[str]) -> list[str]:
    return [
        name
        for name in named
        if hasattr(theirs, name)
        and name != _LONGEST
        and not _OF_TRAINING.search(name)
        and _plain(getattr(theirs, name)) != _plain(getattr(ours, name))
    ]


def _told(names: list[str], theirs: Any, ours: Any) -> str:
    return "; ".join(
        f"`{name}` is {_shown(getattr(theirs, name))} there and {_shown(getattr(ours, name))} in the plan"
        for name in names
    )


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

"""Packages that Megatron Bridge imports and that need CUDA to be built: empty modules, whose every name is an empty class.

Nothing here computes; configurations are made and validated without a kernel.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
import warnings
from typing import Any

warnings.filterwarnings("ignore")

PACKAGES = (
    *("transformer_engine", "transformer_engine_torch", "modelopt", "mamba_ssm", "causal_conv1d", "fla", "timm", "open_clip"),
    *("nvidia_resiliency_ext", "qwen_vl_utils", "mlflow", "wandb", "tensorboard", "google", "datasets", "peft", "torchvision", "PIL"),
)


class _Name(type):
    """A class whose attributes are such classes: annotations and base classes name them."""

    def __getattr__(cls, name: str) -> Any:
        return _made(name)


def _made(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Name(name, (), {"__init__": lambda *_, **__: None})


class _Absent(types.ModuleType):
    __version__ = "2.12.0"
    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return _made(name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in PACKAGES else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Absent(spec.name)

    def exec_module(self, module: types.ModuleType) -> None: ...


def imagine() -> None:
    """Called once, after what asks whether they are there has been imported."""
    sys.meta_path.insert(0, _Finder())

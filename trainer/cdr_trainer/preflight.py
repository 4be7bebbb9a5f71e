"""What must be there before a program starts. Every lack is found, not only the first. Imports nothing heavy."""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .arguments import TRAINING, NodeArguments
from .config import Config
from .errors import NO_SPACE, PREFLIGHT

# Adam in mixed precision: weights, gradients and two moments in float32, 4 bytes each (ZeRO, arXiv 1910.02054,
# section 3.1, counts the same 16).
BYTES_PER_PARAMETER = 16
PACKAGES = {
    "train": ["torch", "transformers", "accelerate", "safetensors", "numpy", "tokenizers"],
    "evaluate": ["torch", "transformers", "safetensors", "numpy"],
    "generate": ["torch", "transformers", "safetensors", "tokenizers"],
    "measure": ["torch"],
    "prepare": ["numpy", "tokenizers", "charset_normalizer"],
    "megatron": [],
    "tokenize": ["tokenizers", "charset_normalizer"],
}


@dataclass(frozen=True)
class Lack:
    """One thing that is missing, with the exit code it stands for."""

    message: str
    code: int = PREFLIGHT


def check(arguments: NodeArguments, config: Config, gpus: int, missing: list[Path]) -> list[Lack]:
    """`missing` are the inputs that could not be found."""
    lacks = _packages(arguments, config) + _inputs(arguments, missing) + _directory(arguments.run_dir)
    if not lacks:
        lacks += _space(arguments, config)
    if arguments.program == "train":
        lacks += _devices(arguments, config, gpus)
    return lacks + _port(arguments)


def count_gpus() -> int:
    """NVIDIA devices that this process may use, without loading a driver."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    present = len(glob.glob("/dev/nvidia[0-9]*"))
    if visible is None:
        return present
    return min(present, len([name for name in visible.split(",") if name.strip() not in ("", "-1")]))


def _packages(arguments: NodeArguments, config: Config) -> list[Lack]:
    wanted = list(PACKAGES[arguments.program])
    if arguments.program == "train":
        wanted += ["deepspeed"] if config.engine == "deepspeed" else []
        wanted += ["flash_attn"] if config.attention == "flash_attention_2" else []
        wanted += [name for name in config.track if name != "console"]
    if arguments.program in ("prepare", "tokenize") and any(source.kind == "hub" for source in config.sources):
        wanted.append("datasets")
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if not missing:
        return _needs(config)
    return [Lack(f"Python packages are missing: {', '.join(missing)}. Install trainer/requirements.lock.")]


def _needs(config: Config) -> list[Lack]:
    """Versions that rules asked for and nobody knew when the step was compiled, of the program's interpreter."""
    lacks = []
    for need in config.get("needs", []):
        name, least = need.package, need.at_least
        found = _version(config.python, name)
        if found is None:
            lacks.append(Lack(f"{config.python} has no {name}, and this step needs {least} or newer: {need.because}"))
        elif _parts(found) < _parts(least):
            lacks.append(Lack(f"{name} is {found}, and this step needs {least} or newer: {need.because}"))
    return lacks


def _version(python: str, name: str) -> str | None:
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def _parts(version: str) -> list[int]:
    return [int(digits.group()) if (digits := re.match(r"\d+", part)) else 0 for part in version.split(".")]


def _inputs(arguments: NodeArguments, missing: list[Path]) -> list[Lack]:
    """Run directories are `<root>/<step>/<id>`, so the step to run is in their names."""
    return [
        Lack(f"input `{name}` is missing: there is no {named}. Run the step `{named.parent.name}` first.")
        for name, named in arguments.inputs.items()
        if named in missing
    ]


def _directory(run_dir: Path) -> list[Lack]:
    try:
        with tempfile.TemporaryFile(dir=run_dir):
            return []
    except OSError as error:
        code = NO_SPACE if error.errno == 28 else PREFLIGHT
        return [Lack(f"cannot write into {run_dir}: {error.strerror}", code)]


def _space(arguments: NodeArguments, config: Config) -> list[Lack]:
    """Room for two checkpoints: the one that is kept and the one that is being written."""
    need = 2 * BYTES_PER_PARAMETER * config.model.parameters if arguments.program in TRAINING else 1 << 20
    free = shutil.disk_usage(arguments.run_dir).free
    if free >= need:
        return []
    message = f"{arguments.run_dir} has {_size(free)} free and this step needs about {_size(need)}"
    return [Lack(f"{message}. Free some space or choose another root for runs.", NO_SPACE)]


def _size(count: int) -> str:
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def _devices(arguments: NodeArguments, config: Config, gpus: int) -> list[Lack]:
    lacks = []
    if 0 < gpus < arguments.procs:
        lacks.append(Lack(f"{arguments.procs} processes want a GPU each and this node has {gpus}"))
    if gpus == 0 and config.precision == "fp16":
        lacks.append(Lack("precision fp16 needs a GPU and this node has none; use bf16 or fp32 on the CPU"))
    if gpus == 0 and config.attention == "flash_attention_2":
        lacks.append(Lack("attention flash_attention_2 needs a GPU and this node has none; use sdpa"))
    return lacks


def _port(arguments: NodeArguments) -> list[Lack]:
    if arguments.nodes == 1 or arguments.node != 0 or not arguments.endpoint:
        return []
    port = arguments.endpoint.rpartition(":")[2]
    if not port.isdigit():
        return [Lack(f"--endpoint {arguments.endpoint} is not HOST:PORT")]
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", int(port)))
            return []
        except OSError as error:
            return [Lack(f"port {port} of the rendezvous is taken on this node: {error.strerror}")]

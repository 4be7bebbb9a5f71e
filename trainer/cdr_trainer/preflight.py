"""What must be there before a program starts. Every lack is found, not only the first. Imports nothing heavy."""

from __future__ import annotations

import ctypes.util
import glob
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import monitors
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
        lacks += _nvme(arguments, config)
    return lacks + _files(config, arguments.run_dir) + _capability(config, gpus) + _shared_memory(arguments, gpus) + _port(arguments)


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
        wanted += monitors.packages_of(_engine_file(arguments, config))
    if arguments.program in ("prepare", "tokenize") and any(source.kind == "hub" for source in config.sources):
        wanted.append("datasets")
    if arguments.program in ("prepare", "tokenize") and config.tokenizer.kind == "hf":
        wanted.append("transformers")
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if not missing:
        return _needs(config)
    return [Lack(f"Python packages are missing: {', '.join(missing)}. Install trainer/requirements.lock.")]


def _needs(config: Config) -> list[Lack]:
    """Packages that rules asked for and nobody knew when the step was compiled, of the program's interpreter."""
    lacks = []
    needs = config.get("needs", [])
    # The script that starts Megatron takes the one that the environment names, too.
    python = (os.environ.get("MEGATRON_PYTHON") or config.python) if needs else ""
    for need in needs:
        name, least = need.package, need.at_least
        found = _version(python, name)
        if least is None:
            if found is None and not _has_module(python, need.get("module", name)):
                lacks.append(Lack(f"{python} has no {name}, which this step needs: {need.because}"))
        elif found is None:
            lacks.append(Lack(f"{python} has no {name}, and this step needs {least} or newer: {need.because}"))
        elif _parts(found) < _parts(least):
            lacks.append(Lack(f"{name} is {found}, and this step needs {least} or newer: {need.because}"))
    return lacks


def _version(python: str, name: str) -> str | None:
    return _answer(python, f"import importlib.metadata as m; print(m.version({name!r}))")


def _has_module(python: str, name: str) -> bool:
    return _answer(python, f"import importlib.util as u; print(u.find_spec({name!r}) is not None)") == "True"


def _answer(python: str, code: str) -> str | None:
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


def _capability(config: Config, gpus: int) -> list[Lack]:
    """GPUs that are older than what the step was compiled for, or than its format."""
    need = config.get("device", None)
    least, because = (need.capability, need.because) if need else (8.0, "precision bf16")
    if gpus == 0 or (need is None and config.get("precision", None) != "bf16"):
        return []
    found = _oldest_gpu()
    if found is None or found >= least:
        return []
    return [Lack(f"this node's GPUs have compute capability {found} and this step needs {least}: {because}")]


def _oldest_gpu() -> float | None:
    """Of the devices that the driver lists; `None` where it cannot be asked."""
    try:
        asked = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = [line.strip() for line in done.stdout.splitlines()]
    found = [float(line) for line in lines if re.fullmatch(r"\d+\.\d+", line)]
    return min(found, default=None)


def _files(config: Config, run_dir: Path) -> list[Lack]:
    return [
        Lack(f"there is no {need.path} on this node, which {need.because} asks for")
        for need in config.get("files", [])
        if not os.path.exists(need.path) and not _has_instead(need, run_dir)
    ]


def _has_instead(need: Config, run_dir: Path) -> bool:
    other = need.get("unless", None)
    return other is not None and (run_dir / other).exists()


def _engine_file(arguments: NodeArguments, config: Config) -> dict[str, Any]:
    """DeepSpeed's configuration; empty where another engine trains."""
    named = config.get("deepspeed", None)
    return {} if named is None else json.loads((arguments.config.parent / named).read_text())


def _nvme(arguments: NodeArguments, config: Config) -> list[Lack]:
    """What DeepSpeed moves to a disk needs a folder on it, and the library that its reader is built on."""
    if config.get("deepspeed", None) is None:
        return []
    zero = _engine_file(arguments, config).get("zero_optimization", {})
    parts = [zero.get(name) or {} for name in ("offload_optimizer", "offload_param")]
    folders = {part.get("nvme_path", "") for part in parts if part.get("device") == "nvme"}
    lacks = [
        Lack(f"states go to {folder} and this node cannot write there")
        for folder in sorted(folders)
        if not os.access(folder, os.W_OK)
    ]
    if folders and ctypes.util.find_library("aio") is None:
        lacks.append(Lack("states go to a disk, and this node has no libaio: install libaio1 (libaio-dev to build)"))
    return lacks


def _shared_memory(arguments: NodeArguments, gpus: int) -> list[Lack]:
    """A container of Docker or Kubernetes has 64 MiB unless it is given more; several GPUs fill them at once."""
    if gpus < 2 or arguments.procs < 2 or not os.path.isdir("/dev/shm"):
        return []
    room = shutil.disk_usage("/dev/shm").total
    if room > 64 << 20:
        return []
    advice = "give the container --shm-size=16g or --ipc=host, or mount an emptyDir with medium: Memory there"
    return [Lack(f"/dev/shm has {_size(room)}, which NCCL and the workers of a data loader fill: {advice}")]


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

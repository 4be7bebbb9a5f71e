"""Writes compiler/engines/deepspeed/demands.json: since which release DeepSpeed's configuration makes each demand.

    node scripts/deepspeed-cases.ts | python scripts/deepspeed-demands.py CLONE > compiler/engines/deepspeed/demands.json

CLONE is a git clone of DeepSpeed with its tags, and the Python is that of the trainer. Asked are the first release and the last of each
minor one; all of them with `--patches`. A demand is held to be made from the first asked release that makes it. Each release's own DeepSpeedConfig reads what
breaks a demand and the nearest that does not. One that takes both does not make the demand; one that refuses both says nothing of it.
Packages that an old release imports and this Python lacks are made of nothing: no configuration needs them.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from unittest.mock import MagicMock

FIRST = (0, 9, 0)
FAKED = ("intel_extension_for_pytorch", "oneccl_bindings_for_pytorch", "torch._six", "hjson", "cpuinfo", "pynvml")


def main() -> None:
    clone = sys.argv[1]
    asked = json.load(sys.stdin)
    # What the newest does not say of a configuration alone is not judged here.
    newest = judged([], asked)
    cases = [case for case, answer in zip(asked, newest) if answer == "made"]
    tags = tags_of(clone)
    ends = [tag for at, tag in enumerate(tags) if at + 1 == len(tags) or order(tags[at + 1])[:2] != order(tag)[:2]]
    wanted = tags if "--patches" in sys.argv else [tags[0], *ends]
    with ThreadPoolExecutor(3) as pool:
        known = dict(zip(wanted, pool.map(lambda tag: answers(clone, tag, cases), wanted)))
    since = {}
    for at, case in enumerate(cases):
        free = [tag for tag in known if known[tag][at] == "free"]
        if free:
            last = max(free, key=order)
            later = [tag for tag in known if order(tag) > order(last) and known[tag][at] == "made"]
            since[case["code"]] = min(later, key=order)[1:] if later else version_here()
    print(json.dumps({"first": tags[0][1:], "asked": len(cases), "since": dict(sorted(since.items()))}, indent=2))


def version_here() -> str:
    from importlib.metadata import version

    return version("deepspeed").split("+")[0]


def order(tag: str) -> tuple[int, ...]:
    return tuple(int(part) for part in tag[1:].split("."))


def tags_of(clone: str) -> list[str]:
    listed = subprocess.run(["git", "-C", clone, "tag"], capture_output=True, text=True, check=True).stdout.split()
    return sorted((tag for tag in listed if re.fullmatch(r"v\d+\.\d+\.\d+", tag) and order(tag) >= FIRST), key=order)


def answers(clone: str, tag: str, cases: list[dict]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        command = ["git", "-C", clone, "archive", tag, "deepspeed", "op_builder", "accelerator", "version.txt"]
        archive = subprocess.run(command, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        return judged([folder], cases)


def judged(folder: list[str], cases: list[dict]) -> list[str]:
    command = [sys.executable, __file__, "--judge", *folder]
    told = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=False)
    if told.returncode != 0:
        raise SystemExit(f"{folder}: {told.stderr[-2000:]}")
    return json.loads(told.stdout.splitlines()[-1])


def judge(folder: str | None) -> None:
    """Prints what one release says of each case: made, free, or neither."""
    cases = json.load(sys.stdin)
    os.environ["DS_ACCELERATOR"] = "cpu"
    if folder is not None:
        prepare(folder)
    from deepspeed.runtime.config import DeepSpeedConfig

    def takes(config: dict) -> bool:
        try:
            DeepSpeedConfig(config, mpu=World())
            return True
        except Exception:  # noqa: BLE001 - whatever a release says no with
            return False

    found = []
    for case in cases:
        fires, silent = (takes(case[name]) for name in ("fires", "silent"))
        found.append("made" if silent and not fires else "free" if silent else "unknown")
    print(json.dumps(found))


def prepare(folder: str) -> None:
    """Makes room for a release that is older than what is installed beside it."""
    sys.meta_path.append(Nothing())
    sys.path.insert(0, folder)
    with open(f"{folder}/deepspeed/runtime/config_utils.py") as file:
        text = file.read()
    if "from pydantic import" in text and "ConfigDict" not in text:
        import pydantic.v1

        sys.modules["pydantic"] = pydantic.v1
    import numpy
    import torch.distributed.elastic.agent.server.api as agent

    for module, name in ((numpy, "BUFSIZE"), (agent, "log"), (agent, "_get_socket_with_port")):
        if not hasattr(module, name):
            setattr(module, name, MagicMock())


class World:
    """What tells a configuration how many ranks there are."""

    def get_data_parallel_world_size(self) -> int:
        return 8


class Nothing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.startswith(FAKED) else None

    def create_module(self, spec):
        return MagicMock(name=spec.name, __spec__=spec, __path__=[], inf=float("inf"))

    def exec_module(self, module):
        pass


if __name__ == "__main__":
    if sys.argv[1] == "--judge":
        judge(sys.argv[2] if len(sys.argv) > 2 else None)
    else:
        main()

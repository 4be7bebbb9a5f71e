"""Writes compiler/engines/megatron/versions/demands.json: which demands of the newest Megatron an older release does not make.

    node scripts/megatron-cases.ts | python scripts/megatron-demands.py CLONE > compiler/engines/megatron/versions/demands.json

CLONE is a git clone of Megatron-LM with its tags, whose HEAD is the newest release; the Python is that of test/oracles/megatron/python.sh.
Each release's own parser, `validate_args` and configurations (those that it makes in the middle of a function too) read the example that
breaks a rule. One that takes it does not make the demand; one that lacks an argument of the example refuses that, which says nothing of
the demand. Packages that an old release imports and this Python lacks are made of nothing: no check needs them. Of a minor release the
last tag is asked, and the wheel itself of the one that this Python has (0.19.2 has no tag). All of the file is found so, in five to
twenty minutes; nothing is added by hand.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib.abc
import importlib.machinery
import importlib.metadata
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ROOT / "compiler/engines/megatron/versions"

# Every release since 0.8 makes these demands too, where none is asked here: `num_microbatches_calculator.py` asserts the first; the
# second is `validate_args`'s until 0.10 (but for uneven stages) and `transformer_block.get_num_layers_to_build`'s from 0.11 on.
ELSEWHERE = {"cdr/megatron-global-batch-ranks", "cdr/megatron-layers-per-stage"}


def main() -> None:
    clone = sys.argv[1]
    cases = sys.stdin.read()
    known = sorted((path.stem.removeprefix("core-") for path in VERSIONS.glob("core-*.json")), key=order, reverse=True)
    tags = subprocess.run(["git", "-C", clone, "tag"], capture_output=True, text=True, check=True).stdout.split()
    # What the newest takes is said by a part of it that is not asked here.
    silent = ELSEWHERE.union(answers_of_tag(clone, "HEAD", cases))
    installed = importlib.metadata.version("megatron-core")
    free = {}
    for version in known[1:]:
        if version == installed:
            found = answers(str(importlib.metadata.distribution("megatron-core").locate_file("")), version, cases)
            free[version] = [code for code in found if code not in silent]
            continue
        minor = [tag for tag in tags if tag.startswith(f"core_v{'.'.join(version.split('.')[:2])}.") and "rc" not in tag]
        tag = max(minor, key=lambda each: order(each.removeprefix("core_v")))
        free[version] = [code for code in answers_of_tag(clone, tag, cases) if code not in silent]
        print(f"{version} ({tag}): {len(free[version])}", file=sys.stderr)
    print(json.dumps(free, indent=2))


def order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def answers_of_tag(clone: str, tag: str, cases: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "-C", clone, "archive", tag, "megatron"], capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        return answers(folder, tag, cases)


def answers(folder: str, name: str, cases: str) -> list[str]:
    command = [sys.executable, __file__, "--judge", folder]
    told = subprocess.run(command, input=cases, capture_output=True, text=True, check=False)
    if told.returncode != 0:
        raise SystemExit(f"{name}: {told.stderr[-2000:]}")
    return json.loads(told.stdout.splitlines()[-1])


def judge(folder: str) -> None:
    """Prints the rules whose breaking examples one release takes."""
    cases = json.load(sys.stdin)
    os.environ["NO_VCS_VERSION"] = "1"
    sys.meta_path.append(Nothing())
    sys.path.insert(0, str(ROOT / "test/oracles/megatron"))
    sys.path.insert(0, folder)
    import megatron

    megatron.__path__ = [f"{folder}/megatron"]
    import accept
    import emulate

    emulate.gpu("9.0")
    emulate.transformer_engine()
    from megatron.training import arguments, training

    accept.parse_by_one_parser()
    kept = dict(os.environ)
    source = ast.parse(Path(training.__file__).read_text())
    configurations = {"optimizer": "OptimizerConfig", "ddp": "DistributedDataParallelConfig"}
    built = {name: lines_that_make(config, source) for name, config in configurations.items()}

    def takes(launch: dict[str, Any]) -> bool:
        if launch["transformerEngine"] != "2.18.0":
            return False
        emulate.gpu(launch["architecture"])
        os.environ.clear()
        os.environ.update(kept | launch["env"], WORLD_SIZE=str(launch["world"]), RANK="0", LOCAL_RANK="0")
        sys.argv = ["pretrain", *launch["argv"]]
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                parsed = copy.deepcopy(arguments.parse_args(None, False))
                arguments.validate_args(parsed, {})
                arguments.core_transformer_config_from_args(parsed)
                for name, made in built.items():
                    if hasattr(training, f"get_megatron_{name}_config"):
                        getattr(training, f"get_megatron_{name}_config")(parsed)
                    elif not (name == "ddp" and getattr(parsed, "use_torch_fsdp2", False)):
                        # They are the release's own lines.
                        exec(made, vars(training) | {"args": parsed, "num_parameters": 1 << 30})
            return True
        except (Exception, SystemExit):  # noqa: BLE001 - whatever a release says no with
            return False

    print(json.dumps(sorted(case["code"] for case in cases if takes(case["fires"]))))


def lines_that_make(name: str, source: ast.Module) -> Any:
    """The statements that make a configuration in the middle of a long function, as releases until 0.17 do: they demand things too."""
    parts = [getattr(node, part, None) for node in ast.walk(source) for part in ("body", "orelse")]
    blocks = [part for part in parts if isinstance(part, list)]
    for block in blocks:
        for end, line in enumerate(block):
            if isinstance(line, ast.Assign) and ast.unparse(line.value).startswith(f"{name}("):
                start = max((at for at in range(end) if ast.unparse(block[at]) == "kwargs = {}"), default=end)
                return compile(ast.Module(block[start : end + 1], []), name, "exec")
    return compile("", name, "exec")


class Nothing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that hold whatever is asked of them, under the names of packages that are missing."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name.split(".")[0] not in ("amp_C", "pkg_resources", "pydantic", "regex", "six", "tensorstore", "tiktoken", "zarr"):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return MagicMock(__name__=spec.name, __spec__=spec, __path__=[])

    def exec_module(self, module: Any) -> None: ...


if __name__ == "__main__":
    if sys.argv[1] == "--judge":
        judge(sys.argv[2])
    else:
        main()

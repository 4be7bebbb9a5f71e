"""Writes compiler/foreign/known/trainer-versions.json: in which releases of transformers, accelerate and torch options came,
and in which they went.

    python scripts/trainer-versions.py FOLDER

FOLDER keeps the wheels; the first of each series is fetched where it is not there. Nothing of them is imported. Of transformers these are
the fields of TrainingArguments and Seq2SeqTrainingArguments, the words that the Trainer's lists have, and the keys that it asks
`fsdp_config` for; of accelerate the options of `accelerate launch` (`launch`), the keys of its file (`file`), and the names of those options
that stand anywhere in the package (`read`): the keys of a file's sections are such names, and some were read before they were options; of
torch the options of torchrun as they are spelt. What the first series has came at an unknown time.
"""

from __future__ import annotations

import ast
import json
import pathlib
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator

FIRST = {"transformers": (4, 20), "accelerate": (0, 12), "torch": (1, 13)}
# The sources are the same in all wheels of a release, and these are the small ones; no Python has them all.
SMALL = {
    "torch": [
        [*(word for system in (11, 12, 13, 14) for word in ("--platform", f"macosx_{system}_0_arm64")), "--python-version", python]
        for python in ("3.10", "3.12")
    ]
}
LISTS = {
    "optim": "OptimizerNames",
    "lr_scheduler_type": "SchedulerType",
    "save_strategy": "SaveStrategy",
    "hub_strategy": "HubStrategy",
}
Names = dict[str, set[str]]


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    table = {name: history(folder, name) for name in FIRST}
    out = pathlib.Path(__file__).parent.parent / "compiler/foreign/known/trainer-versions.json"
    out.write_text(json.dumps(table, indent=2) + "\n")


def history(folder: pathlib.Path, name: str) -> dict[str, object]:
    releases = [each for each in released(name) if order(each)[:2] >= FIRST[name]]
    series = {order(each)[:2]: each for each in reversed(releases)}
    firsts = [series[key] for key in sorted(series)]
    read = OF[name]
    found = [read(wheel(folder, name, each)) for each in firsts]
    if "read" in found[-1]:
        found = [{**each, "read": each["read"] & found[-1]["launch"]} for each in found]
    return {
        "first": firsts[0],
        "last": [{order(each)[:2]: each for each in releases}[key] for key in sorted(series)],
        **{kind: changes([".".join(each.split(".")[:2]) for each in firsts], [each.get(kind, set()) for each in found]) for kind in found[-1]},
    }


def changes(releases: list[str], names: list[set[str]]) -> dict[str, dict[str, str]]:
    came: dict[str, str] = {}
    went: dict[str, str] = {}
    for name in sorted(set().union(*names)):
        there = [name in each for each in names]
        since, last = there.index(True), len(there) - 1 - there[::-1].index(True)
        if since > 0:
            came[name] = releases[since]
        if last < len(there) - 1:
            went[name] = releases[last + 1]
    return {"came": came, "went": went}


def released(name: str) -> list[str]:
    """From the oldest on; without pre-releases, which pip leaves out."""
    command = [sys.executable, "-m", "pip", "index", "versions", name]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    listed = next(line for line in answer.splitlines() if line.startswith("Available versions:"))
    return sorted(listed.partition(":")[2].replace(" ", "").split(","), key=order)


def order(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def wheel(folder: pathlib.Path, name: str, release: str) -> zipfile.ZipFile:
    found = list(folder.glob(f"{name}-{release}-*.whl"))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", str(folder)]
        tries = (subprocess.run([*command, *where, f"{name}=={release}"]) for where in SMALL.get(name, [[]]))
        if all(each.returncode != 0 for each in tries):
            raise SystemExit(f"no wheel of {name} {release}")
        found = list(folder.glob(f"{name}-{release}-*.whl"))
    return zipfile.ZipFile(found[0])


def of_transformers(package: zipfile.ZipFile) -> Names:
    own = tree(package, "transformers/training_args.py")
    more = tree(package, "transformers/training_args_seq2seq.py")
    lists = classes([own, tree(package, "transformers/trainer_utils.py")])
    # Before 4.47 a strategy of saving was one of evaluation.
    lists.setdefault("SaveStrategy", lists.get("IntervalStrategy", lists.get("EvaluationStrategy", [])))
    fields = classes([own, more])
    return {
        "arguments": {*declared(fields["TrainingArguments"]), *declared(fields["Seq2SeqTrainingArguments"])},
        **{option: set(valued(lists.get(name, []))) for option, name in LISTS.items()},
        "fsdp": {*asked(own, "fsdp_config"), *asked(tree(package, "transformers/trainer.py"), "fsdp_config")},
    }


def of_accelerate(package: zipfile.ZipFile) -> Names:
    launch = tree(package, "accelerate/commands/launch.py")
    config = classes([tree(package, "accelerate/commands/config/config_args.py")])
    return {
        "launch": {name.replace("-", "_") for name in spelt(launch)},
        "file": {*declared(config["BaseConfig"]), *declared(config["ClusterConfig"])},
        "read": words(package),
    }


def of_torch(package: zipfile.ZipFile) -> Names:
    return {"torchrun": set(spelt(tree(package, "torch/distributed/run.py")))}


OF = {"transformers": of_transformers, "accelerate": of_accelerate, "torch": of_torch}


def tree(package: zipfile.ZipFile, path: str) -> ast.Module:
    return ast.parse(package.read(path))


def classes(modules: Iterable[ast.Module]) -> dict[str, list[ast.stmt]]:
    return {node.name: node.body for module in modules for node in module.body if isinstance(node, ast.ClassDef)}


def declared(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_"):
            yield node.target.id


def valued(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def asked(module: ast.Module, config: str) -> Iterator[str]:
    """Keys of a dictionary of this name, wherever it stands."""
    for node in ast.walk(module):
        key: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
            key = node.args[0] if node.args and named(node.func.value) == config else None
        elif isinstance(node, ast.Subscript):
            key = node.slice if named(node.value) == config else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def named(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def spelt(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            for word in node.args:
                if isinstance(word, ast.Constant) and str(word.value).startswith("--"):
                    yield str(word.value)[2:]


def words(package: zipfile.ZipFile) -> set[str]:
    """In small letters: an option is handed on in a variable of its name."""
    texts = [package.read(path).decode() for path in package.namelist() if path.endswith(".py")]
    return {word.lower() for text in texts for word in re.findall(r"[A-Za-z]\w*", text)}


if __name__ == "__main__":
    main()

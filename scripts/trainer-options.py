"""Writes compiler/lsp/foreign/trainer-options.json: names, types, defaults and choices of the options of trainers; and
compiler/foreign/rules/llama-factory/choices.json: those choices alone that LLaMA-Factory checks.

transformers and accelerate are asked themselves; Axolotl and LLaMA-Factory, which need much to be imported, are read from their
wheels: trainer-options.py axolotl-*.whl llamafactory-*.whl
"""

import argparse
import ast
import dataclasses
import enum
import json
import pathlib
import re
import sys
import types
import typing
import zipfile

import accelerate
import transformers
from accelerate.commands.config.config_args import ClusterConfig
from accelerate.commands.launch import launch_command_parser
from transformers import TrainingArguments, training_args

Option = dict[str, object]
plain = (str, int, float, bool)


def option(kind: str, default: object, values: list[str]) -> Option:
    shown = default.value if isinstance(default, enum.Enum) else default
    kept: Option = {"type": kind}
    if isinstance(shown, plain):
        kept["default"] = shown
    if values:
        kept["values"] = values
    return kept


def kind_of(annotation: object) -> str:
    """The plainest name of a type: what a file would hold."""
    parts = [each for each in typing.get_args(annotation) if each is not type(None)]
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        kinds = [kind_of(each) for each in parts]
        return next((each for each in kinds if each not in ("str", "dict")), kinds[0])
    if origin is typing.Literal or (isinstance(annotation, type) and issubclass(annotation, enum.Enum)):
        return "name"
    name = getattr(origin or annotation, "__name__", "any")
    return name if name in ("str", "int", "float", "bool", "list", "dict") else "any"


def values_of(annotation: object) -> list[str]:
    if typing.get_origin(annotation) is typing.Literal:
        return [str(each) for each in typing.get_args(annotation)]
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return [str(each.value) for each in annotation]
    return [value for each in typing.get_args(annotation) for value in values_of(each)]


def fields_of(cls: type, hints: dict[str, object]) -> dict[str, Option]:
    return {
        field.name: option(kind_of(hints[field.name]), field.default, values_of(hints[field.name]))
        for field in dataclasses.fields(cls)
        if not field.name.startswith("_")
    }


def launch_options() -> dict[str, Option]:
    found = {}
    for action in launch_command_parser()._actions:
        name = next((each for each in action.option_strings if each.startswith("--")), None)
        if name is None or isinstance(action, argparse._HelpAction):
            continue
        kind = (
            "flag"
            if action.nargs == 0
            else getattr(action.type or str, "__name__", "str").replace("str_to_bool", "bool")
        )
        values = [str(each) for each in action.choices or []]
        found[name[2:].replace("-", "_")] = option("name" if values else kind, action.default, values)
    return found


def written(annotation: ast.expr, enums: dict[str, list[str]]) -> tuple[str, list[str]]:
    """A type as it stands in a source: `int | None`, `Optional[Literal["a"]]`, `list[str]`."""
    text = ast.unparse(annotation)
    literals = [
        str(value) for each in re.findall(r"Literal\[([^\]]*)\]", text) for value in ast.literal_eval(f"[{each}]")
    ]
    listed = [value for name, values in enums.items() if re.search(rf"\b{name}\b", text) for value in values]
    values = [each for each in literals + listed if each not in ("True", "False", "None")]
    if values:
        return "name", values
    if literals:
        return "bool", []
    kind = next(
        (each for each in ("list", "dict", "bool", "int", "float", "str") if re.search(rf"\b{each}\b", text)), "any"
    )
    return kind, []


def default_of(value: ast.expr | None) -> object:
    if isinstance(value, ast.Call):
        given = {each.arg: each.value for each in value.keywords}
        value = given.get("default") or (value.args[0] if value.args else None)
    return value.value if isinstance(value, ast.Constant) else None


def with_bases(name: str, classes: dict[str, ast.ClassDef]) -> list[ast.ClassDef]:
    if name not in classes:
        return []
    bases = [ast.unparse(base).split(".")[-1] for base in classes[name].bases]
    return [classes[name], *(each for base in bases for each in with_bases(base, classes))]


def from_wheel(path: str, folder: str, roots: list[str]) -> dict[str, Option]:
    with zipfile.ZipFile(path) as wheel:
        names = [each for each in wheel.namelist() if each.startswith(folder) and each.endswith(".py")]
        trees = [ast.parse(wheel.read(name)) for name in sorted(names)]
    all_classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    enums = {
        node.name: [
            each.value.value
            for each in node.body
            if isinstance(each, ast.Assign)
            and isinstance(each.value, ast.Constant)
            and isinstance(each.value.value, str)
        ]
        for node in all_classes
        if any("Enum" in ast.unparse(base) for base in node.bases)
    }
    found: dict[str, Option] = {}
    classes = {node.name: node for node in all_classes}
    for node in [each for root in roots for each in with_bases(root, classes)]:
        for each in node.body:
            if (
                isinstance(each, ast.AnnAssign)
                and isinstance(each.target, ast.Name)
                and "InitVar" not in ast.unparse(each)
            ):
                kind, values = written(each.annotation, enums)
                found.setdefault(each.target.id, option(kind, default_of(each.value), values))
    return found


def version_of(path: str) -> str:
    return pathlib.Path(path).name.split("-")[1]


axolotl, factory = sys.argv[1:]
hparams = ["ModelArguments", "DataArguments", "TrainingArguments", "FinetuningArguments", "GeneratingArguments"]
arguments = fields_of(TrainingArguments, typing.get_type_hints(TrainingArguments, vars(training_args)))
table = {
    "trainer": {"program": f"transformers {transformers.__version__}", "options": arguments},
    "accelerate launch": {"program": f"accelerate {accelerate.__version__}", "options": launch_options()},
    "accelerate": {
        "program": f"accelerate {accelerate.__version__}",
        "options": fields_of(ClusterConfig, typing.get_type_hints(ClusterConfig)),
    },
    "axolotl": {
        "program": f"Axolotl {version_of(axolotl)}",
        "options": from_wheel(axolotl, "axolotl/utils/schemas/", ["AxolotlInputConfig"]),
    },
    "llama-factory": {
        "program": f"LLaMA-Factory {version_of(factory)}",
        "options": from_wheel(factory, "llamafactory/hparams/", hparams),
    },
}
compiler = pathlib.Path(__file__).parent.parent / "compiler"
target = compiler / "lsp/foreign/trainer-options.json"
target.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n")

choices = {name: each["values"] for name, each in from_wheel(factory, "llamafactory/hparams/", hparams).items() if "values" in each}
chosen = compiler / "foreign/rules/llama-factory/choices.json"
chosen.write_text(json.dumps({"version": version_of(factory), "choices": choices}, indent=2, sort_keys=True) + "\n")

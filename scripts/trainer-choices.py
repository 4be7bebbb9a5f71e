"""Writes what the installed transformers takes for its options, and what accelerate and torch take of those it hands on.

compiler/foreign/rules/trainer/choices.json: the values where an option is one of a list; compiler/foreign/trainer/types.json: what
the parser of its command line makes of a word.
"""

import dataclasses
import enum
import json
import pathlib
import typing

import torch
import transformers
from accelerate.utils.dataclasses import DynamoBackend
from transformers import HfArgumentParser, Seq2SeqTrainingArguments, TrainingArguments, training_args
from transformers.integrations.integration_utils import INTEGRATION_TO_CALLBACK


def enumerations(annotation: object) -> list[type[enum.Enum]]:
    inner = [each for part in typing.get_args(annotation) for each in enumerations(part)]
    own = isinstance(annotation, type) and issubclass(annotation, enum.Enum)
    return [typing.cast("type[enum.Enum]", annotation), *inner] if own else inner


def choices_of(field: dataclasses.Field[object]) -> list[str]:
    listed = list(field.metadata.get("choices") or [])
    found = enumerations(hints[field.name])
    return [str(each.value) for kind in found for each in kind] or [str(each) for each in listed]


hints = typing.get_type_hints(TrainingArguments, vars(training_args))
handed = {
    "report_to": ["all", "none", *INTEGRATION_TO_CALLBACK],
    "torch_compile_backend": [each.value.lower() for each in DynamoBackend],
    "torch_compile_mode": list(torch._inductor.list_mode_options()),
}
own = {field.name: choices_of(field) for field in dataclasses.fields(TrainingArguments)}
choices = {name: each or handed.get(name, []) for name, each in own.items()}
table = {"version": transformers.__version__, "choices": {name: each for name, each in choices.items() if each}}
foreign = pathlib.Path(__file__).parent.parent / "compiler/foreign"
(foreign / "rules/trainer/choices.json").write_text(json.dumps(table, indent=2) + "\n")

parsed = [action for action in HfArgumentParser([Seq2SeqTrainingArguments])._actions if action.nargs != 0]


def taking(converts: str) -> list[str]:
    return [action.dest for action in parsed if getattr(action.type, "__name__", "") == converts]


types = {
    "int": taking("int"),
    "float": taking("float"),
    "bool": taking("string_to_bool"),
    "valued": [action.dest for action in parsed if action.nargs is None],
}
(foreign / "trainer/types.json").write_text(json.dumps({"version": transformers.__version__, **types}, indent=2) + "\n")

"""Writes compiler/foreign/rules/trainer/choices.json: the values that the installed transformers takes where an option is one of a list."""

import dataclasses
import enum
import json
import pathlib
import typing

import transformers
from transformers import TrainingArguments, training_args


def enumerations(annotation: object) -> list[type[enum.Enum]]:
    inner = [each for part in typing.get_args(annotation) for each in enumerations(part)]
    own = isinstance(annotation, type) and issubclass(annotation, enum.Enum)
    return [typing.cast("type[enum.Enum]", annotation), *inner] if own else inner


def choices_of(field: dataclasses.Field[object]) -> list[str]:
    listed = list(field.metadata.get("choices") or [])
    found = enumerations(hints[field.name])
    return [str(each.value) for kind in found for each in kind] or [str(each) for each in listed]


hints = typing.get_type_hints(TrainingArguments, vars(training_args))
choices = {field.name: choices_of(field) for field in dataclasses.fields(TrainingArguments)}
table = {"version": transformers.__version__, "choices": {name: each for name, each in choices.items() if each}}
path = pathlib.Path(__file__).parent.parent / "compiler/foreign/rules/trainer/choices.json"
path.write_text(json.dumps(table, indent=2) + "\n")

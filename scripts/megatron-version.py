"""Writes what the parser of an installed megatron-core has other than the base version: `python scripts/megatron-version.py`.

Run it with a Python that has the wheel; the file goes beside the base as versions/core-VERSION.json.
"""

from __future__ import annotations

import argparse
import json
import re
import warnings
from enum import EnumMeta
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore")

FOLDER = Path(__file__).resolve().parent.parent / "compiler/engines/megatron/versions"
BASE = "0.20.0"
ACTIONS = {
    "_StoreTrueAction": "store_true",
    "_StoreFalseAction": "store_false",
    "BooleanOptionalAction": "boolean_optional",
}


def main() -> None:
    from megatron.core import __version__
    from megatron.training.arguments import add_megatron_arguments

    base = json.loads((FOLDER / f"core-{BASE}.json").read_text())
    parser = add_megatron_arguments(argparse.ArgumentParser(add_help=False, allow_abbrev=False))
    here = {row["dest"] + " " + row["names"][0]: row for row in map(row_of, parser._actions)}
    there = {row["dest"] + " " + row["names"][0]: row for row in base["arguments"]}
    differing = [
        {**row, "help": there.get(key, {}).get("help", "")}
        for key, row in here.items()
        if key not in there or facts(there[key]) != facts(row)
    ]
    difference = {
        "engine": "megatron-core",
        "version": __version__,
        "base": BASE,
        "without": sorted(row["names"][0] for key, row in there.items() if key not in here),
        "with": sorted(differing, key=lambda row: row["names"][0]),
    }
    path = FOLDER / f"core-{__version__}.json"
    path.write_text(json.dumps(difference, indent=2) + "\n")
    print(f"{path.name}: {len(difference['without'])} that it lacks, {len(differing)} that differ")


def row_of(action: argparse.Action) -> dict[str, Any]:
    switch = ACTIONS.get(type(action).__name__)
    row: dict[str, Any] = {"names": action.option_strings, "dest": action.dest}
    if switch is not None:
        row["action"] = switch
    elif action.type is not None:
        row["type"] = type_of(action)
    else:
        row["type"] = "str"
    if action.nargs is not None and switch is None:
        row["nargs"] = str(action.nargs)
    if action.default is not None:
        row["default"] = plain(action.default)
    if action.choices is not None:
        row["choices"] = [plain(choice) for choice in action.choices]
    return row


def type_of(action: argparse.Action) -> str:
    converter = action.type
    # Enumerations are converted by a function that the parser makes for each of them.
    if action.choices and all(isinstance(type(choice), EnumMeta) for choice in action.choices):
        return f"enum:{type(next(iter(action.choices))).__name__}"
    name = getattr(converter, "__name__", type(converter).__name__)
    return name if re.fullmatch(r"\w+", name) else "str"


def plain(value: Any) -> Any:
    return getattr(value, "name", value)


def facts(row: dict[str, Any]) -> dict[str, Any]:
    """What decides how words are read; a type of plain text is no type."""
    kept = {name: row.get(name) for name in ("names", "dest", "action", "default", "choices")}
    kept["nargs"] = str(row.get("nargs"))
    conversion = row.get("type")
    return {**kept, "type": "str" if conversion is None or conversion.startswith("enum:") else conversion}


if __name__ == "__main__":
    main()

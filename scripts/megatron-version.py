"""Writes what a Megatron's parser has other than the next newer version: `python scripts/megatron-version.py [FOLDER]`.

Run it with a Python that has the wheel, or name the folder of a checkout; the newer versions must be there. The file goes beside
theirs as versions/core-VERSION.json. Packages that an old checkout imports and this Python lacks are made of nothing: no parser needs them.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import json
import re
import sys
import warnings
from enum import EnumMeta
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

warnings.filterwarnings("ignore")

FOLDER = Path(__file__).resolve().parent.parent / "compiler/engines/megatron/versions"
BASE = "0.20.0"
ACTIONS = {
    "_StoreTrueAction": "store_true",
    "_StoreFalseAction": "store_false",
    "BooleanOptionalAction": "boolean_optional",
}


def main() -> None:
    checkout = sys.argv[1] if len(sys.argv) > 1 else None
    if checkout is not None:
        sys.path.insert(0, checkout)
        import megatron

        megatron.__path__ = [f"{checkout}/megatron"]
    version, parser = parser_here()
    base, there = newer_than(version)
    here = {key_of(row): row for row in map(row_of, parser._actions)}
    differing = [
        {**row, "help": there.get(key, {}).get("help", "")}
        for key, row in here.items()
        if key not in there or facts(there[key]) != facts(row)
    ]
    difference = {
        "engine": "megatron-core",
        "version": version,
        "base": base,
        "without": sorted(row["names"][0] for key, row in there.items() if key not in here),
        "with": sorted((compact(row) for row in differing), key=lambda row: row["names"][0]),
    }
    path = FOLDER / f"core-{version}.json"
    path.write_text(json.dumps(difference, indent=1) + "\n")
    print(f"{path.name}: {len(difference['without'])} that it lacks, {len(differing)} that differ from {base}")


def parser_here() -> tuple[str, argparse.ArgumentParser]:
    made: list[argparse.ArgumentParser] = []
    nothing = Nothing()
    sys.meta_path.append(nothing)
    while True:
        try:
            from megatron.core.package_info import __version__
            from megatron.training import arguments

            break
        except ModuleNotFoundError as error:
            missing = (error.name or "").split(".")[0]
            if missing in ("", "megatron", "torch") or missing in nothing.names:
                raise
            nothing.names.add(missing)
            for name in [name for name in sys.modules if name.startswith("megatron.")]:
                del sys.modules[name]

    def caught(parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        made.append(parser)
        raise SystemExit

    # Before 0.11 no function gives the parser before it parses.
    if not hasattr(arguments, "add_megatron_arguments"):
        argparse.ArgumentParser.parse_args = argparse.ArgumentParser.parse_known_args = caught  # type: ignore
        try:
            arguments.parse_args()
        except SystemExit:
            pass
        return __version__, made[0]
    return __version__, arguments.add_megatron_arguments(argparse.ArgumentParser(add_help=False, allow_abbrev=False))


class Nothing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that hold whatever is asked of them, under the names of packages that are missing."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name.split(".")[0] not in self.names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return MagicMock(__name__=spec.name, __spec__=spec, __path__=[])

    def exec_module(self, module: Any) -> None: ...


def newer_than(version: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """The next newer version that is known, and its arguments."""
    found = {path.stem.removeprefix("core-"): json.loads(path.read_text()) for path in FOLDER.glob("core-*.json")}
    newer = min((each for each in found if order(each) > order(version)), key=order)

    def rows(name: str) -> dict[str, dict[str, Any]]:
        document = found[name]
        if "arguments" in document:
            return {key_of(row): row for row in document["arguments"]}
        base = rows(document["base"])
        changed = {row["names"][0] for row in document["with"]}
        gone = {*document["without"], *changed}
        kept = {key: row for key, row in base.items() if row["names"][0] not in gone}
        return {**kept, **{key_of(row): row for row in document["with"]}}

    return newer, rows(newer)


def order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def key_of(row: dict[str, Any]) -> str:
    return f"{row['dest']} {row['names'][0]}"


def compact(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value != "" or name == "default"}


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

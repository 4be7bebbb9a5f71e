"""The ids of a bundle's runs, as `cdrc run` computes them: the same question finds the same run.

python -m cdr_trainer.identity --bundle DIR --project DIR      # one line a step: its name and its id
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import stat
from pathlib import Path
from typing import Any

from .patterns import expand_braces


def ids(bundle: Path, project: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for step in json.loads((bundle / "steps.json").read_text(encoding="utf-8")):
        names = [step["config"], *(name for name in step["files"] if name != step["config"])]
        texts = [(bundle / name).read_bytes().decode("utf-8") for name in names]
        sources = _sources(texts[0], project) if step["kind"] in ("data", "tokenizer", "stage") else []
        which = [given["which"] for given in step["inputs"]]
        inputs = [found[given["step"]] for given in step["inputs"]]
        fields = [step["program"], step["nodes"], step["processes"], texts, which, inputs, sources]
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        found[step["name"]] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return found


def _sources(config_text: str, project: Path) -> list[str]:
    """What a step reads from outside of the bundle, one line per thing."""
    config: dict[str, Any] = json.loads(config_text)
    sources = config.get("sources", [])
    patterns = [pattern for source in sources for pattern in source.get("patterns") or []]
    tokenizer, weights = config.get("tokenizer") or {}, config.get("weights") or {}
    paths = [tokenizer.get("path"), tokenizer.get("name"), weights.get("path")]
    patterns += [path for path in paths if path is not None]
    files = {name for pattern in patterns for one in expand_braces(pattern) for name in matches(one, project)}
    # By UTF-16, as the compiler's language sorts.
    lines = [_describe(project, name) for name in sorted(files, key=lambda name: name.encode("utf-16-be"))]
    if any(source["kind"] == "python_stdlib" for source in sources):
        lines.append(f"python {platform.python_version()}")
    return lines


def _describe(project: Path, name: str) -> str:
    facts = os.stat(os.path.join(project, name))
    seconds, nanoseconds = divmod(facts.st_mtime_ns, 10**9)
    return f"{name} {facts.st_size} {int(seconds * 1e3 + nanoseconds / 1e6)}"


def matches(pattern: str, project: Path) -> list[str]:
    """Files that match, relative to the project; a folder means everything below it."""
    parts = [part for index, part in enumerate(pattern.split("/")) if part != "." and (part != "" or index == 0)]
    fixed = next((index for index, part in enumerate(parts) if re.search(r"[*?[]", part)), None)
    if fixed is None:
        return _below(project, "/".join(parts), set())
    base = "/".join(parts[:fixed]) or ("/" if pattern.startswith("/") else "")
    whole = "/".join(_expression(part) for part in parts).replace("(?:.*)/", "(?:.*/)?")
    accepts = re.compile(f"{whole}(?:/.*)?").fullmatch
    return [name for name in _below(project, base, set()) if accepts(name)]


def _expression(part: str) -> str:
    if part == "**":
        return "(?:.*)"

    def one(found: re.Match[str]) -> str:
        token = found.group()
        if token[0] == "*":
            return "[^/]*"
        if token == "?":
            return "[^/]"
        if token[0] == "[" and len(token) > 2:
            inside = token[1:-1]
            return f"[{'^' + inside[1:] if inside[0] == '!' else inside}]"
        return re.escape(token)

    return re.sub(r"\*+|\?|\[!?[^\]]+\]|[^*?[]|\[", one, part)


def _below(project: Path, name: str, seen: set[tuple[int, int]]) -> list[str]:
    """Hidden files and byte code are left out; a folder that links reach twice is read once."""
    full = os.path.normpath(os.path.join(project, name))
    try:
        facts = os.stat(full)
        if stat.S_ISREG(facts.st_mode):
            return [name]
        if not stat.S_ISDIR(facts.st_mode) or (facts.st_dev, facts.st_ino) in seen:
            return []
        seen.add((facts.st_dev, facts.st_ino))
        names = sorted(os.listdir(full), key=lambda entry: entry.encode("utf-16-be", "surrogatepass"))
    except OSError:
        return []
    kept = [entry for entry in names if not entry.startswith(".") and entry != "__pycache__"]
    return [
        path
        for entry in kept
        for path in _below(project, entry if name == "" else os.path.normpath(os.path.join(name, entry)), seen)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m cdr_trainer.identity", description="The ids of a bundle's runs.")
    parser.add_argument("--bundle", required=True, type=Path)
    parser.add_argument("--project", required=True, type=Path)
    given = parser.parse_args()
    for name, identity in ids(given.bundle, given.project).items():
        print(name, identity)


if __name__ == "__main__":
    main()

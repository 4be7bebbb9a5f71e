"""Files that globs name: `**` recurses, `{a,b}` chooses, a folder means everything below it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from .errors import UserError


def find_files(patterns: list[str], project: Path) -> list[Path]:
    """Regular files in sorted order, each once. A pattern that matches nothing is an error that names it."""
    found: dict[str, Path] = {}
    for pattern in patterns:
        matched = sorted({path for one in expand_braces(pattern) for path in _matches(one, project)})
        if not matched:
            raise UserError(f"no file matches `{pattern}`{_nearest(pattern, project)}")
        for path in matched:
            found.setdefault(os.path.realpath(path), Path(path))
    return sorted(found.values())


def expand_braces(pattern: str) -> list[str]:
    """`a.{md,txt}` -> `a.md`, `a.txt`; nested braces from the inside out."""
    inner = re.search(r"\{([^{}]*)\}", pattern)
    if inner is None:
        return [pattern]
    choices = inner.group(1).split(",")
    return [
        whole
        for choice in choices
        for whole in expand_braces(pattern[: inner.start()] + choice + pattern[inner.end() :])
    ]


def _matches(pattern: str, project: Path) -> Iterator[str]:
    whole = os.path.normpath(os.path.join(project, os.path.expanduser(pattern)))
    if os.path.isfile(whole):
        yield whole
        return
    if os.path.isdir(whole):
        yield from _walk(whole)
        return
    root = _literal_root(whole)
    accepts = re.compile(_to_regex(whole)).fullmatch
    yield from (path for path in _walk(root) if accepts(path))


def _walk(root: str) -> Iterator[str]:
    """Files below `root`, hidden ones and byte code left out. A folder reached twice by links is read once."""
    seen: set[tuple[int, int]] = set()
    for folder, names, files in os.walk(root, followlinks=True):
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:
            names.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        names[:] = sorted(name for name in names if not name.startswith(".") and name != "__pycache__")
        for name in files:
            path = os.path.join(folder, name)
            if not name.startswith(".") and os.path.isfile(path):
                yield path


def _literal_root(pattern: str) -> str:
    """The deepest folder of a pattern above its first wildcard."""
    parts = pattern.split(os.sep)
    literal = next((index for index, part in enumerate(parts) if re.search(r"[*?\[]", part)), len(parts) - 1)
    return os.sep.join(parts[:literal]) or os.sep


def _to_regex(pattern: str) -> str:
    out = ""
    index = 0
    while index < len(pattern):
        if pattern.startswith("**/", index):
            out += r"(?:.*/)?"
            index += 3
        elif pattern.startswith("**", index):
            out += r".*"
            index += 2
        elif pattern[index] == "[" and "]" in pattern[index + 2 :]:
            end = pattern.index("]", index + 2)
            inside = pattern[index + 1 : end].replace("\\", r"\\")
            out += f"[{'^' + inside[1:] if inside[0] == '!' else inside}]"
            index = end + 1
        else:
            out += {"*": r"[^/]*", "?": r"[^/]"}.get(pattern[index], re.escape(pattern[index]))
            index += 1
    return out


def _nearest(pattern: str, project: Path) -> str:
    """What there is near a pattern that matches nothing."""
    folder = _literal_root(os.path.normpath(os.path.join(project, expand_braces(pattern)[0])))
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder) or os.sep
    shown = os.path.relpath(folder, project)
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    listing = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"; the nearest folder that exists is `{shown}`, which holds {listing or 'nothing'}"

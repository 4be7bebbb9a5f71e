"""The text that every Python installation has: the standard library's sources and their documentation."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from .decode import decode

_SKIPPED = {"site-packages", "dist-packages", "test", "tests", "idlelib", "idle_test", "lib2to3", "__pycache__"}


def stdlib_files() -> list[Path]:
    """`.py` files of the standard library, tests and editors left out, in sorted order."""
    root = Path(sysconfig.get_paths()["stdlib"])
    return sorted(path for path in root.rglob("*.py") if not _SKIPPED & set(path.relative_to(root).parts))


def source(path: Path) -> Iterator[str]:
    """One document per module: its source."""
    text = decode(path.read_bytes())
    if text:
        yield text


def docs(path: Path) -> Iterator[str]:
    """Documentation strings of a module, joined; the help texts of `pydoc_data.topics` one by one. Never imports."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    if path.parts[-2:] == ("pydoc_data", "topics.py"):
        strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
        yield from (text for text in strings if isinstance(text, str) and len(text) > 200)
        return
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds)]
    joined = "\n\n".join(text for text in texts if text)
    if joined:
        yield joined

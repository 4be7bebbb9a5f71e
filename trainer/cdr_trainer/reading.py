"""Documents of one file: a text is one document, a table one per row."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .decode import decode
from .errors import UserError

LINES = (".jsonl", ".ndjson")
TABLES = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv"}


class NotText(Exception):
    """The file is binary, or in an encoding that nobody recognises."""


# Takes the value of a row's column, the column's name and where the row stands.
Pick = Callable[[Any, str, str], str]


def text_of(value: Any, column: str, where: str) -> str:
    """The document of a row that holds a text."""
    if not isinstance(value, str):
        raise UserError(f"{where}: `{column}` holds {type(value).__name__}, not text")
    return value


def read_documents(path: Path, column: str, scratch: Path, pick: Pick = text_of) -> Iterator[str]:
    """Documents in the order of the file. `scratch` is where libraries may keep what they need meanwhile."""
    kind = _kind(path)
    if kind in TABLES:
        yield from _table(path, TABLES[kind], column, scratch, pick)
    elif kind in LINES:
        yield from _lines(path, column, pick)
    elif kind == ".json":
        yield from _json(path, column, pick)
    else:
        yield pick(_text(path), column, str(path))


def _kind(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _text(path: Path) -> str:
    text = decode(_bytes(path))
    if text is None:
        raise NotText(path)
    return text


def _bytes(path: Path) -> bytes:
    try:
        if path.suffix.lower() == ".gz":
            with gzip.open(path, "rb") as file:
                return file.read()
        return path.read_bytes()
    except (EOFError, gzip.BadGzipFile) as error:
        raise UserError(f"{path} is a damaged gzip file: {error}") from error
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error


def _lines(path: Path, column: str, pick: Pick) -> Iterator[str]:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opener(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield from _row(_parse(line, path, number), column, f"{path}:{number}", pick)
    except (EOFError, gzip.BadGzipFile) as error:
        raise UserError(f"{path} is a damaged gzip file: {error}") from error
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error


def _parse(line: bytes, path: Path, number: int) -> Any:
    text = decode(line)
    if text is None:
        raise NotText(path)
    try:
        return json.loads(text)
    except ValueError as error:
        raise UserError(f"{path}:{number} is not JSON: {error}. A .jsonl file has one object per line.") from error


def _json(path: Path, column: str, pick: Pick) -> Iterator[str]:
    """A list holds rows; an object with the column is one row; any other JSON is a document like source text."""
    text = _text(path)
    try:
        value = json.loads(text)
    except ValueError:
        yield pick(text, column, str(path))
        return
    if isinstance(value, list) and value and all(isinstance(item, (dict, str)) for item in value):
        for number, item in enumerate(value, 1):
            yield from _row(item, column, f"{path}, item {number}", pick)
    elif isinstance(value, dict) and isinstance(value.get(column), (str, list)):
        yield pick(value[column], column, str(path))
    else:
        yield pick(text, column, str(path))


def _row(row: Any, column: str, where: str, pick: Pick) -> Iterator[str]:
    if isinstance(row, str):
        yield pick(row, column, where)
        return
    if not isinstance(row, dict):
        raise UserError(f"{where} is {type(row).__name__}, not an object with the key `{column}`")
    if column not in row:
        raise UserError(
            f"{where} has no key `{column}`; it has {_names(row)}. Name the one that is meant as `column`."
        )
    if row[column] is not None:
        yield pick(row[column], column, where)


def _names(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _table(path: Path, builder: str, column: str, scratch: Path, pick: Pick) -> Iterator[str]:
    """Rows of parquet and csv by `datasets`, streamed, so that no copy of the table is kept."""
    import datasets

    options: dict[str, Any] = {"sep": "\t"} if _kind(path) == ".tsv" else {}
    try:
        table = datasets.load_dataset(
            builder, data_files=str(path), split="train", streaming=True, cache_dir=str(scratch), **options
        )
        names = table.column_names or list(next(iter(table), {}))
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"{path} cannot be read as {builder}: {reason}") from error
    if column not in names:
        raise UserError(f"{path} has no column `{column}`; it has {_names(names)}. Name the one with the text.")
    for number, row in enumerate(table.select_columns([column]), 1):
        yield from _row(row, column, f"{path}, row {number}", pick)

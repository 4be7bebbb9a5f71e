"""Documents of one file: a text is one document, a table one per row."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from .decode import decode
from .errors import UserError

LINES = (".jsonl", ".ndjson")
TABLES = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv"}


def _zstandard(path: Path, mode: str) -> BinaryIO:
    import pyarrow

    return io.BufferedReader(pyarrow.input_stream(str(path), compression="zstd"))


COMPRESSED: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": _zstandard,
}


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
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _text(path: Path) -> str:
    text = decode(_bytes(path))
    if text is None:
        raise NotText(path)
    return text


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    ending = path.suffix.lower()
    try:
        with COMPRESSED.get(ending, open)(path, "rb") as file:
            yield file
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise UserError(f"{path} is a damaged {ending} file: {error}") from error
    except OSError as error:
        # The decompressors of bzip2 and zstandard have no error of their own: those of the system have a number.
        damaged = ending in COMPRESSED and error.errno is None
        raise UserError(
            f"{path} is a damaged {ending} file: {error}" if damaged else f"cannot read {path}: {error.strerror or error}"
        ) from error


def _bytes(path: Path) -> bytes:
    with _opened(path) as file:
        return file.read()


def _lines(path: Path, column: str, pick: Pick) -> Iterator[str]:
    with _opened(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield from _row(_parse(line, path, number), column, f"{path}:{number}", pick)


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

"""Files to documents: encodings, tables, patterns, and what is no text."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from cdr_trainer.config import Config
from cdr_trainer.decode import decode
from cdr_trainer.errors import UserError
from cdr_trainer.patterns import expand_braces, find_files
from cdr_trainer.reading import read_documents
from cdr_trainer.sources import open_source


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_encodings(encoding: str) -> None:
    text = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. " * 20
    assert decode(text.encode(encoding)) == text


def test_binary_is_not_text() -> None:
    assert decode(b"\x7fELF\0\0\0" + bytes(range(256)) * 4) is None


def test_braces() -> None:
    assert expand_braces("a/{b,c}.{md,txt}") == ["a/b.md", "a/b.txt", "a/c.md", "a/c.txt"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("docs", ["one.md", "picture.png", "three.txt", "two.txt"]),
        ("docs/*.md", ["one.md"]),
        ("docs/**/*.{md,txt}", ["one.md", "three.txt", "two.txt"]),
        ("**/t*.txt", ["three.txt", "two.txt"]),
        ("docs/[!t]*.md", ["one.md"]),
    ],
)
def test_patterns(project: Path, pattern: str, names: list[str]) -> None:
    assert sorted(path.name for path in find_files([pattern], project)) == names


def test_a_loop_of_links_is_read_once(project: Path) -> None:
    (project / "docs" / "deep" / "up").symlink_to(project / "docs")
    assert len(find_files(["docs"], project)) == 4


def test_no_match_names_the_nearest_folder(project: Path) -> None:
    with pytest.raises(UserError, match=r"no file matches `docs/depe/\*\.txt`.*`docs`.*one\.md"):
        find_files(["docs/depe/*.txt"], project)


def documents(path: Path, column: str = "text") -> list[str]:
    return list(read_documents(path, column, path.parent))


def packed(ending: str, data: bytes) -> bytes:
    import pyarrow

    packers: dict[str, Callable[[bytes], bytes]] = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zst": lambda data: pyarrow.compress(data, codec="zstd", asbytes=True),
    }
    return packers[ending](data)


ENDINGS = pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst"])


@ENDINGS
def test_lines(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows.jsonl.{ending}"
    path.write_bytes(packed(ending, b'{"text": "one"}\n\n{"text": null}\n"two"\n'))
    assert documents(path) == ["one", "two"]


def test_json_files(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"text": "one"}, {"text": "two"}]))
    assert documents(path) == ["one", "two"]
    path.write_text('{"name": "package"}')
    assert documents(path) == ['{"name": "package"}']


def test_a_missing_key_says_which_there_are(project: Path) -> None:
    with pytest.raises(UserError, match=r"rows\.jsonl:1 has no key `text`; it has `body`"):
        documents(project / "rows.jsonl")


def test_broken_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "one"}\n{"text": \n')
    with pytest.raises(UserError, match=r"rows\.jsonl:2 is not JSON"):
        documents(path)


@ENDINGS
def test_a_damaged_file_is_named(tmp_path: Path, ending: str) -> None:
    for name in (f"text.txt.{ending}", f"rows.jsonl.{ending}"):
        path = tmp_path / name
        words = packed(ending, b'"words"\n' * 1000)
        path.write_bytes(words[:-20] if ending in ("gz", "bz2", "xz") else words[:4] + b"x" * 20)
        with pytest.raises(UserError, match=rf"damaged \.{ending} file"):
            documents(path)


def test_a_file_that_is_not_there_is_not_damaged(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot read .*No such file"):
        documents(tmp_path / "rows.jsonl.zst")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables(tmp_path: Path, kind: str) -> None:
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.table({"id": [1, 2], "body": ["one, with comma", "two\nlines"]})
    path = tmp_path / f"rows.{kind}"
    (pyarrow.csv.write_csv if kind == "csv" else pyarrow.parquet.write_table)(table, str(path))
    assert documents(path, "body") == ["one, with comma", "two\nlines"]
    with pytest.raises(UserError, match="has no column `text`; it has `id`, `body`"):
        documents(path)


def test_only_binary_files(project: Path) -> None:
    config = Config(name="art", kind="files", patterns=["docs/*.png"], column="text")
    with pytest.raises(UserError, match=r"`art` has no text: 1 of its 1 files are binary \(picture\.png\)"):
        list(open_source(config, project, None, project).documents())


def test_empty_files(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" \n")
    config = Config(name="void", kind="files", patterns=["*.txt"], column="text")
    with pytest.raises(UserError, match="`void` is empty"):
        list(open_source(config, tmp_path, None, tmp_path).documents())

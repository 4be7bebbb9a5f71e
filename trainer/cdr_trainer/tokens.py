"""Token streams on disk: raw little-endian integers, and the length of every document in Megatron's own index.

The index is that of megatron/core/datasets/indexed_dataset.py (`_IndexWriter`), so Megatron reads the streams as
they are. It has no code for uint32: ids below 2^31 are the same bytes as int32.
"""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import Any

import numpy as np

_MAGIC = b"MMIDIDX\x00\x00"
_CODES = {"uint16": 8, "uint32": 4}
_HEADER = struct.Struct("<9sQBQQ")  # magic, version, code of the integers, sequences, ends of documents


def dtype_for(vocab: int) -> str:
    return "uint16" if vocab <= 1 << 16 else "uint32"


def array_type(name: str) -> np.dtype[Any]:
    return np.dtype(name).newbyteorder("<")


class TokenWriter:
    """Appends documents to `<name>.bin`; `close` writes `<name>.idx`."""

    def __init__(self, folder: Path, name: str, dtype: str) -> None:
        self.path = folder / f"{name}.bin"
        self.index = folder / f"{name}.idx"
        self.dtype = array_type(dtype)
        self.tokens = 0
        self.lengths: list[int] = []
        self._file = open(self.path, "wb", buffering=1 << 20)
        self._digest = hashlib.sha256()

    def append(self, ids: Any, end: int | None = None) -> None:
        """`end` is appended to the document where it is given."""
        array = np.asarray(ids, dtype=self.dtype)
        if end is not None:
            array = np.append(array, self.dtype.type(end))
        data = array.tobytes()
        self.lengths.append(len(array))
        self.tokens += len(array)
        self._digest.update(data)
        self._file.write(data)

    def close(self) -> str:
        """Returns the SHA-256 of the stream."""
        self._file.close()
        _write_index(self.index, self.dtype, np.asarray(self.lengths, dtype=np.int64))
        return self._digest.hexdigest()


class TokenReader:
    """Documents of a stream that `TokenWriter` made, memory-mapped."""

    def __init__(self, folder: Path, name: str, dtype: str) -> None:
        self.tokens = open_stream(folder / f"{name}.bin", dtype)
        self.lengths = _read_lengths(folder / f"{name}.idx")
        self.starts = np.cumsum(self.lengths) - self.lengths

    def document(self, index: int) -> np.ndarray:
        start = self.starts[index]
        return self.tokens[start : start + self.lengths[index]]


def open_stream(path: Path, dtype: str) -> np.ndarray:
    """All tokens of a stream as one read-only array; an empty file cannot be mapped."""
    if path.stat().st_size == 0:
        return np.zeros(0, dtype=array_type(dtype))
    return np.memmap(path, dtype=array_type(dtype), mode="r")


def _write_index(path: Path, dtype: np.dtype[Any], lengths: np.ndarray) -> None:
    with open(path, "wb") as file:
        file.write(_HEADER.pack(_MAGIC, 1, _CODES[dtype.name], len(lengths), len(lengths) + 1))
        lengths.astype("<i4").tofile(file)
        ((np.cumsum(lengths) - lengths) * dtype.itemsize).astype("<i8").tofile(file)
        np.arange(len(lengths) + 1, dtype="<i8").tofile(file)


def _read_lengths(path: Path) -> np.ndarray:
    with open(path, "rb") as file:
        *_, count, _ = _HEADER.unpack(file.read(_HEADER.size))
        return np.fromfile(file, dtype="<i4", count=count).astype(np.int64)

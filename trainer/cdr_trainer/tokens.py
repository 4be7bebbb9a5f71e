"""Token streams on disk: raw little-endian integers with the start of every document beside them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np


def dtype_for(vocab: int) -> str:
    return "uint16" if vocab <= 1 << 16 else "uint32"


def array_type(name: str) -> np.dtype[Any]:
    return np.dtype(name).newbyteorder("<")


class TokenWriter:
    """Appends documents to `<name>.bin`; `close` writes `<name>.idx`, the start of each in tokens (uint64)."""

    def __init__(self, folder: Path, name: str, dtype: str) -> None:
        self.path = folder / f"{name}.bin"
        self.index = folder / f"{name}.idx"
        self.dtype = array_type(dtype)
        self.tokens = 0
        self.starts: list[int] = []
        self._file = open(self.path, "wb", buffering=1 << 20)
        self._digest = hashlib.sha256()

    def append(self, ids: Any, end: int | None = None) -> None:
        """`end` is appended to the document where it is given."""
        array = np.asarray(ids, dtype=self.dtype)
        if end is not None:
            array = np.append(array, self.dtype.type(end))
        data = array.tobytes()
        self.starts.append(self.tokens)
        self.tokens += len(array)
        self._digest.update(data)
        self._file.write(data)

    def close(self) -> str:
        """Returns the SHA-256 of the stream."""
        self._file.close()
        np.asarray(self.starts, dtype="<u8").tofile(self.index)
        return self._digest.hexdigest()


class TokenReader:
    """Documents of a stream that `TokenWriter` made, memory-mapped."""

    def __init__(self, folder: Path, name: str, dtype: str) -> None:
        self.tokens = open_stream(folder / f"{name}.bin", dtype)
        starts = np.fromfile(folder / f"{name}.idx", dtype="<u8").astype(np.int64)
        self.starts = starts
        self.lengths = np.diff(np.append(starts, len(self.tokens)))

    def document(self, index: int) -> np.ndarray:
        start = self.starts[index]
        return self.tokens[start : start + self.lengths[index]]


def open_stream(path: Path, dtype: str) -> np.ndarray:
    """All tokens of a stream as one read-only array; an empty file cannot be mapped."""
    if path.stat().st_size == 0:
        return np.zeros(0, dtype=array_type(dtype))
    return np.memmap(path, dtype=array_type(dtype), mode="r")

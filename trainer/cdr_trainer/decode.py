"""Bytes of a file to text, whatever the encoding; `None` for what is not text."""

from __future__ import annotations

import codecs

_MARKS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_LOOK = 8192

# Statistics tell scripts apart, but not the Latin code pages among themselves: of those only the one that browsers
# assume (WHATWG Encoding Standard, windows-1252) is a candidate.
_GUESSES = [
    *("cp1252", "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp874"),
    *("cp932", "euc_jp", "gb18030", "big5", "euc_kr"),
]


def decode(data: bytes) -> str | None:
    """A byte order mark decides, then UTF-8, then a guess by statistics. NUL bytes outside UTF-16 mean no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _try(data, encoding)
    if b"\0" in data[:_LOOK]:
        encoding = _unmarked_utf16(data[:_LOOK])
        return _try(data, encoding) if encoding else None
    text = _try(data, "utf-8")
    return text if text is not None else _guess(data)


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _unmarked_utf16(head: bytes) -> str | None:
    """Latin text in UTF-16 has a NUL in nearly every second byte, and hardly any in the others."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _guess(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    # Statistics settle within the first part of a file; decoding then has to hold for all of it. The threshold is
    # above the default of 0.2 because words with many accents look disordered; binary data is still far above it.
    best = from_bytes(data[: 256 * 1024], cp_isolation=_GUESSES, threshold=0.4).best()
    return None if best is None else _try(data, best.encoding)

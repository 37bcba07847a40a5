"""Decode bytes as UTF-8, with or without a byte order mark, as UTF-16, or, as a last resort, as Windows-1252."""

from __future__ import annotations

import codecs

from data.files.blobs import Blob
from data.findings import Log

_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF"),
    (b"\x80\x04", "a pickle (which is never opened, since it can run code)"),
    (b"\x80\x05", "a pickle (which is never opened, since it can run code)"),
    (b"\x89HDF", "an HDF5 file"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"SQLite", "a database"),
)
# UTF-32's mark begins with UTF-16's, so it has to come first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def to_utf8(blob: Blob, log: Log) -> bytes | None:
    """Return the content as UTF-8 without a byte order mark; None, with a finding, if it is not text."""
    content = blob.content
    for magic, what in _MAGIC:
        if content.startswith(magic):
            log.add("binary", blob.name, what=what)
            return None
    mark, encoding = next(((m, e) for m, e in _MARKS if content.startswith(m)), (b"", ""))
    encoding = encoding or _wide(content) or "utf-8"
    content = content[len(mark) :]
    try:
        text = content.decode(encoding)
        return content if encoding == "utf-8" else text.encode("utf-8")
    except UnicodeDecodeError:
        if encoding == "utf-8" and b"\0" in content[:4096]:
            log.add("binary", blob.name, what="a binary file")
            return None
    fallback = "cp1252" if encoding == "utf-8" else encoding
    told = "Windows-1252" if encoding == "utf-8" else f"{encoding.upper()} with gaps"
    log.add("encoding", blob.name, encoding=told)
    return content.decode(fallback, "replace").encode("utf-8")


def _wide(content: bytes) -> str | None:
    """Return the UTF-16 encoding of a text without a byte order mark, or None.

    In Latin text, UTF-16 has NUL in nearly every second byte.
    """
    head = content[:400]
    if len(head) < 4:
        return None
    odd, even = head[1::2].count(0), head[::2].count(0)
    if odd > 0.3 * len(head) and even < 0.05 * len(head):
        return "utf-16-le"
    return "utf-16-be" if even > 0.3 * len(head) and odd < 0.05 * len(head) else None

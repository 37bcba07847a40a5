"""Read members of zip archives, including those compressed with Zstandard."""

from __future__ import annotations

import copy
import zipfile
import zlib

from data.files.limits import Budget, read_all

_ZSTANDARD = 93
"""The number of this method in the zip specification (APPNOTE 6.3.8), which zipfile supports from Python 3.14 on."""


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: Budget, most: int | None = None) -> bytes:
    """Return the content of a member or, if it has more than `most` bytes, at least that many of them. Raises one of
    `BROKEN` if the member is damaged.
    """
    if member.compress_type != _ZSTANDARD:
        with archive.open(member) as stream:
            return read_all(stream, budget, most)
    import pyarrow as pa

    with archive.open(_as_stored(member)) as packed, pa.CompressedInputStream(packed, "zstd") as unpacked:
        content = read_all(unpacked, budget, most)
    if (most is None or len(content) <= most) and zlib.crc32(content) != member.CRC:
        raise zipfile.BadZipFile("its checksum is wrong")
    return content


def _as_stored(member: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Return a copy of a member through which zipfile reads the compressed bytes.

    The checksum is ignored, since it applies to the unpacked bytes.
    """
    stored = copy.copy(member)
    stored.compress_type, stored.file_size = zipfile.ZIP_STORED, member.compress_size
    del stored.CRC
    return stored

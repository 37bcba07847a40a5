"""Columns of a Parquet file, read a few rows at a time: a few hundred bytes can say millions of values."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from data.bounds import A_ROW, A_TEXT, MAX_COLUMNS, Budget, TooLargeError
from data.formats import footer

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_AT_ONCE, _MOST_ROWS = 32 << 20, 10_000
"""Most bytes and rows that are read at once."""


def columns(content: bytes, budget: Budget) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the columns and the values of each.

    Raises TooLargeError for more than the budget allows, and one of BROKEN for a damaged file.
    """
    import pyarrow.parquet as pq

    chunks = footer.chunks(content)
    facts = pq.ParquetFile(io.BytesIO(content)).metadata
    _bound(facts, chunks, budget)
    texts = [one for one in chunks if one.type == footer.BYTE_ARRAY]
    repeating = [one for one in texts if footer.DELTA_BYTE_ARRAY in one.encodings]
    if any("." in one.path for one in repeating):
        raise ValueError("it has lists of texts in the encoding DELTA_BYTE_ARRAY, which is read for single texts alone")
    # A text that stands in many rows is held once, and counted for each row before it is made for each.
    shared = {one.path for one in texts} - {one.path for one in repeating}
    file = pq.ParquetFile(io.BytesIO(content), read_dictionary=sorted(shared))
    names = [str(name) for name in file.schema_arrow.names]
    found: list[list[Any]] = [[] for _ in names]
    longest = max((one.bytes for one in repeating), default=1)
    for batch in file.iter_batches(max(1, min(_MOST_ROWS, _AT_ONCE // max(1, longest)))):
        for values, column in zip(found, batch.columns, strict=True):
            budget.take(_size(column))
            values += (column.dictionary_decode() if hasattr(column, "dictionary_decode") else column).to_pylist()
    return names, found


def _bound(facts: pq.FileMetaData, chunks: list[footer.Chunk], budget: Budget) -> None:
    """Count what the file says of itself: columns, rows, values and bytes."""
    if facts.num_columns > MAX_COLUMNS:
        raise TooLargeError(f"{facts.num_columns:,} columns, more than {MAX_COLUMNS:,}")
    if any(one.column >= facts.num_columns for one in chunks):
        raise ValueError("its footer has more columns in a group of rows than in all")
    if facts.num_rows < 0:
        raise ValueError("its footer says fewer than no rows")
    budget.take_values(A_ROW * facts.num_rows)
    widths = [facts.schema.column(k).length for k in range(facts.num_columns)]
    for one in chunks:
        budget.take_values((A_TEXT if one.type in footer.TEXTS else 1) * one.values)
        width = widths[one.column] if one.type == footer.FIXED_LEN_BYTE_ARRAY else 0
        budget.take(max(one.bytes, width * one.values))


def _size(column: pa.Array) -> int:
    """Bytes that the texts of a column take, each as often as it stands there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.DictionaryArray):
        return int(pc.sum(pc.take(pc.binary_length(column.dictionary), column.indices)).as_py() or 0)
    if isinstance(column, pa.MapArray):
        return _size(column.keys) + _size(column.items)
    if pa.types.is_struct(column.type):
        return sum(map(_size, column.flatten()))
    if pa.types.is_nested(column.type):
        return _size(column.flatten())
    return int(column.nbytes)

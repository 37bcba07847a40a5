"""Columns of a Parquet file, read a few rows at a time: a few hundred bytes can say millions of values."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from data.bounds import A_ROW, A_TEXT, MAX_COLUMNS, Budget, TooLargeError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_AT_ONCE, _MOST_ROWS = 32 << 20, 10_000
"""Most bytes and rows that are read at once."""
_REPEATING = "DELTA_BYTE_ARRAY"
"""The encoding in which each text may repeat the whole of the one before without a word."""


def columns(content: bytes, budget: Budget) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the columns and the values of each.

    Raises TooLargeError for more than the budget allows, and one of BROKEN for a damaged file.
    """
    import pyarrow.parquet as pq

    facts = pq.ParquetFile(io.BytesIO(content)).metadata
    _bound(facts, budget)
    chunks = [one for one in _chunks(facts) if one.physical_type == "BYTE_ARRAY"]
    repeating = [one for one in chunks if _REPEATING in one.encodings]
    if any("." in one.path_in_schema for one in repeating):
        raise ValueError(f"it has lists of texts in the encoding {_REPEATING}, which is read for single texts alone")
    # A text that stands in many rows is held once, and counted for each row before it is made for each.
    shared = {one.path_in_schema for one in chunks} - {one.path_in_schema for one in repeating}
    file = pq.ParquetFile(io.BytesIO(content), read_dictionary=sorted(shared))
    names = [str(name) for name in file.schema_arrow.names]
    found: list[list[Any]] = [[] for _ in names]
    longest = max((one.total_uncompressed_size for one in repeating), default=1)
    for batch in file.iter_batches(max(1, min(_MOST_ROWS, _AT_ONCE // max(1, longest)))):
        for values, column in zip(found, batch.columns, strict=True):
            budget.take(_size(column))
            values += (column.dictionary_decode() if hasattr(column, "dictionary_decode") else column).to_pylist()
    return names, found


def _chunks(facts: pq.FileMetaData) -> Iterator[pq.ColumnChunkMetaData]:
    for group in map(facts.row_group, range(facts.num_row_groups)):
        yield from map(group.column, range(group.num_columns))


def _bound(facts: pq.FileMetaData, budget: Budget) -> None:
    """Count what the file says of itself: columns, rows, values and bytes."""
    if facts.num_columns > MAX_COLUMNS:
        raise TooLargeError(f"{facts.num_columns:,} columns, more than {MAX_COLUMNS:,}")
    budget.take_values(A_ROW * facts.num_rows)
    widths = {facts.schema.column(k).path: facts.schema.column(k).length for k in range(facts.num_columns)}
    for one in _chunks(facts):
        budget.take_values((A_TEXT if one.physical_type.endswith("BYTE_ARRAY") else 1) * one.num_values)
        width = widths[one.path_in_schema] if one.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0
        budget.take(max(one.total_uncompressed_size, width * one.num_values))


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

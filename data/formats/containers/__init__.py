"""Bytes and text as tables or records: encodings, JSON, Parquet, workbooks, arrays, lines and logs."""

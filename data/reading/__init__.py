"""How a file is read: the order of all decisions. Each module and function named here documents its own rule.

1. **Bytes** (`files`): Parquet, Arrow and workbooks are tables, arrays are columns, distances or embeddings; all else
   is text. Text is JSON, or else the first of: a Markdown table, a table, generated captions, lines of cells,
   labelled blocks or a log, lines of captions.
2. **JSON** (`json_values`): layouts are rewritten to plainer ones, in the order of `_REWRITTEN`. Then the first of
   these applies: scores that are ratings by people; answers of a judge; keys that are items, settings or runs; a
   known format (`formats.registry`), unless it has fields that its loader would miss (`formats.known.missed_fields`)
   or a person mapped its fields; records of any shape (`formats.nesting.nested_records`).
3. **Records** (`records`): each record becomes one row for each language, part of a film and run that it lists; then
   each field, by its path, is a column.
4. **Tables** (`tables`): roles that a person states decide, then the first of: embeddings, pairs that people judged,
   ratings, scores, captions. An id is joined first if several columns form it. Captions with numbers beside them are
   a sheet (`formats.numbers.caption_sheet`); any other table goes to `formats.tables.table`.
5. **Columns** (`formats.columns`): settings, runs and the id by name and contents (`roles`), then the captions and
   their authors (`caption_columns`: known names, words in names, contents), then columns that distinguish captions of
   an item (`distinguishing_columns`). If contents contradict the roles, a person is asked, or warned of texts that may
   have been missed (`role_doubts`).
6. **Several files** (`data.across_files`): rules about all files together, in the order of `_ACROSS_FILES` in
   `data.load`.

A name that programs use belongs in `data.fields`; a layout of JSON in `formats.nesting` (a rewrite, or a shape of
records); a container in `formats.containers`; a format with a fixed structure in `formats.known`, and in the registry.
"""

"""All kinds of findings, with the severity, message and remedy of each."""

from __future__ import annotations

from data.finding_kinds.caption_kinds import CAPTIONS, MAX_CAPTION
from data.finding_kinds.file_kinds import FILES
from data.finding_kinds.kind import Kind
from data.finding_kinds.merge_kinds import MERGING
from data.finding_kinds.picture_kinds import PICTURES
from data.finding_kinds.rating_kinds import JUDGMENTS
from data.finding_kinds.score_kinds import SCORES

SEVERITIES = ("error", "warning", "note")
FOREMOST = (
    *("unsure_fields", "no_columns", "no_texts"),
    *("people_as_run", "no_references", "shifted_run", "leak", "run_at_chance", "run_not_nearer", "degenerate_run"),
    *("same_captions", "item_sets_differ", "fields_mapped"),
)
"""Kinds that are listed before others of the same severity, the gravest first.

The roles of a file's fields come first, since they decide everything else that is reported about it.

Without people's captions most metrics have no value. A run may have the captions of other items; it may lead through
copied references or through captions that say nothing; it may be listed twice, or lead on a subset of the items.
"""


REPAIRS: dict[str, str] = {
    "match_ids": "Match ids that differ only in zero padding, case, folder or file ending.",
    "drop_same_files": "Read a file that was given twice only once.",
    "fill_down": "Fill in ids and runs that only the first row of a block of a table has, as below merged cells.",
    "people_as_references": "Take captions named reference, human, people or ground truth as people's.",
    "split_captions": "Split texts that hold several captions, separated by line breaks, `|||` and the like.",
    "join_sentences": "Join captions of an item that are the sentences of one text.",
    "join_lines": "Turn line breaks inside captions into spaces, unless there are no captions by people.",
    "drop_thoughts": "Leave out what a model thinks before its caption (`<think>`).",
    "drop_tokens": "Leave out special tokens and templates, such as `<end>`, `<unk>` and `ASSISTANT:`.",
    "unwrap": "Take captions out of JSON, markdown, HTML entities (`&amp;`), prompts and talk (`Here is a caption:`).",
    "drop_non_captions": "Leave out refusals, error messages, ids and `nan` in place of captions.",
    "character_tokens": "Take characters for words, where a script has no spaces: by `zh` of sacreBLEU, or by `char`.",
    "cut_long": f"Cut captions to {MAX_CAPTION:,} characters.",
    "drop_empty_references": "Leave out empty references.",
    "merge_duplicates": "Keep the captions of all records with the same id.",
    "read_once": "Read only once records that repeat an id and a caption word for word.",
    "widest_runs": "Keep only the runs that describe the most items, and all those items.",
    "join_alike_runs": "Join runs whose names differ only in case, spaces, marks or the form of numbers.",
    "join_runs": "Without references: join all runs into one if no two of them describe the same item.",
    "drop_empty_candidates": "Leave out empty captions of runs.",
    "drop_few_references": "Leave out items with fewer than two references.",
    "fix_mojibake": "Decode captions again that were decoded wrongly.",
    "trim_captions": "Remove spaces at the ends of captions.",
    "equal_counts": "Draw equal numbers of captions of each item from every run that has two or more (seeded).",
    "one_each": "Draw one caption of each item from every run (seeded).",
    "cluster_duplicates": "Take items with the same captions by people as one cluster in intervals and tests.",
    "cluster_near_duplicates": "Take items with nearly the same captions by people as one cluster, too.",
    "cluster_same_pictures": "Take items with the same picture as one cluster in intervals and tests.",
    "drop_leaking_runs": "Leave out runs that repeat a reference on half of the items or more.",
}
DEFAULTS = (
    *("match_ids", "drop_same_files", "fill_down", "split_captions", "join_lines", "drop_empty_references"),
    *("join_runs", "cluster_duplicates"),
)

_READING: dict[str, Kind] = {
    "bad_json": Kind("error", "Not valid JSON: {why}.", "Fix the file at that place, or export it again."),
    "json_mended": Kind(
        "warning",
        "Not valid JSON: {why}. Read all the same, as {n:,} records or keys.",
        "Check what was read; better, export the file again.",
    ),
    "bad_line": Kind("error", "This line is not valid JSON: {why}.", "Fix the line; the other lines were read."),
    "wrong_top_level": Kind(
        "error",
        "The file holds {found} at its top level, where {expected} was expected.",
        "It has no fields that a --map could name: write records with an id and captions (see the templates).",
    ),
    "no_texts": Kind(
        "error",
        "No field but the id holds texts, so no --map can find captions; the fields are: {columns}.",
        "Give the file that holds the captions, or scores with an id or a run beside them.",
    ),
    "numbers_left": Kind(
        "warning",
        "The file holds numbers{columns} and no captions; it was not used.",
        "Nothing to do if these are totals that another program computed. Scores need the id of their item, or their "
        "run, in a column beside them; captions are named on the Data page or with --map candidates=FIELD.",
    ),
    "unknown_shape": Kind(
        "error",
        "No known format has this shape: {found}.",
        "Convert it to one of the formats (see the templates), or choose its format by hand.",
    ),
    "fields_mapped": Kind(
        "note",
        "Read as {read}.",
        "To read it otherwise, state what each field holds, on the Data page or with --map {option}.",
    ),
    "comment_lines": Kind(
        "note",
        "Lines above the captions begin with # and were not read: {text}.",
        "If they are captions, write an id before each line.",
    ),
    "title_rows": Kind(
        "note",
        "Rows above the header hold no captions: {text}.",
        "A run and settings are read from comments such as `# temperature: 0.7`; a title needs no action.",
    ),
    "described_columns": Kind(
        "note",
        "Below the header, the columns are described, as in Qualtrics or by units in brackets; this was not read.",
        "Nothing to do.",
    ),
    "counted_from_zero": Kind(
        "note",
        "Its sentences are counted from 0; here they are counted from 1, as lines are.",
        "Add 1 to these numbers where other files name items by them.",
    ),
    "titles_as_runs": Kind(
        "note",
        "Titles stand above blocks of rows or lines about the same items; each was read as the run of its block: "
        "{titles}.",
        "If that is wrong, write the runs in a column of their own.",
    ),
    "totals_below": Kind(
        "note",
        "Below the table, a row has {text} in place of its id: it holds totals and was not read as an item.",
        "If that is the id of an item, call it something else.",
    ),
    "notes_below": Kind(
        "warning",
        "Below the table, a row holds a remark in its first cell and nothing else: {text}. It was not read.",
        "If that is the id of an item without captions, write it without spaces.",
    ),
    "merged_filled": Kind(
        "note",
        "Merged cells span several rows in {columns}; each of these rows was read with their value.",
        "Separate the cells if only the first row has it.",
    ),
    "other_sheets": Kind(
        "warning",
        "Other sheets of the workbook were not read: {names}.",
        "Save each of them as a file of its own if it belongs to the study.",
    ),
    "no_header": Kind(
        "note",
        "The table has no header; its columns are counted from 1.",
        "Give it a header with names such as `id`, `caption` and `reference` if its columns hold something else, or "
        "give their numbers to --map: id=1,candidates=2.",
    ),
    "first_is_run": Kind(
        "warning",
        "The table has no header: only the order of its columns says that column {first} is a run's and {others} are "
        "people's.",
        "If that is wrong, state what each column holds, on the Data page or with --map, such as --map {option}.",
    ),
    "place_count": Kind(
        "error",
        "Records without an id: {n}. As {first} has {expected} items, it is not known which belongs to which.",
        "Add an `id` to each record, or name the field that holds it.",
    ),
    "ids_by_place": Kind(
        "warning",
        "The records have no id; the first was taken for the first item of {other}, and so on.",
        "Add an `id` to each record if they are in another order.",
    ),
    "ids_restart": Kind(
        "note",
        "The ids start over in each of {n} files, and their references differ: they were read as different "
        "items ({files}).",
        "If they are the same items, give the references once, in a file of their own.",
    ),
    "unknown_override": Kind("error", "There is no {what} called {value}.", "Choose one of: {choices}."),
    "bad_table": Kind("error", "The table cannot be read: {why}.", "Export it again as CSV, TSV or Parquet."),
    "bad_row": Kind(
        "error",
        "The row has more cells than the header ({why}); it was left out.",
        "Quote cells that hold the separator.",
    ),
    "mark_missing": Kind(
        "warning",
        "The row lacks the separator between a number and its text; it was read as if it had one.",
        "Put it in, or correct the row if that is wrong.",
    ),
    "commas_joined": Kind(
        "warning",
        "The row has commas beyond those of the header, without quotation marks; the rest was read as one caption.",
        "Quote cells that hold the separator, if these are several cells.",
    ),
    "failed_request": Kind(
        "warning",
        "The record has an error instead of a caption: {why}.",
        "It was left out, as if it were not there; ask again for these items.",
    ),
    "numbers_taken": Kind(
        "note",
        "Each line begins with its number, which was read as its id.",
        "If the numbers belong to the captions, read the file as plain lines: choose its format on the Data page.",
    ),
    "verdicts": Kind(
        "note",
        "Cells begin with a verdict such as [PASS], which was left out: {columns}.",
        "Nothing to do if these are answers with the outcome of their tests, as promptfoo writes them.",
    ),
    "no_columns": Kind(
        "error",
        "No column is known to hold {what}; the columns are: {columns}.",
        "Rename one to `id`, `caption` or `reference`, or state what each holds, on the Data page or with --map "
        "{option}.",
    ),
    "unsure_fields": Kind(
        "error",
        "It is not certain which fields hold the captions: {why}. The file was not read.",
        "State what each field holds, on the Data page or with --map, such as --map {option}.",
    ),
    "told_by": Kind(
        "note",
        "The rows have no id; rows with the same {column} were read as one item, {n:,} in all, in their order.",
        "If the rows are several items, add an `id` to each.",
    ),
    "ranked_rows": Kind(
        "note",
        "The rows have no id and are ranked: all {n:,} were read as captions of one item, {item}.",
        "If the rows are several items, add an `id` to each.",
    ),
    "blocks": Kind(
        "note",
        "An empty line ends the captions of an item; {n:,} items were read, as many as {other} has lines.",
        "Write one line for each item, and a file for each reference, if the empty lines are captions.",
    ),
    "facts_alone": Kind(
        "note",
        "No column holds captions; what the file states about items in other files was read as their metadata.",
        "If one of its columns holds captions, say so, on the Data page or with --map {option},candidates=FIELD.",
    ),
    "facts_of_others": Kind(
        "warning",
        "The file has no captions, and nothing in it is about an item of the other files: it was not used.",
        "Nothing to do for settings and totals; to give facts about items, use the same ids.",
    ),
    "no_table_columns": Kind(
        "error",
        "No column is known to hold {what}; the columns are: {columns}.",
        "Rename a column to `item`, `model`, `caption` or another name that docs/formats.md lists.",
    ),
    "record_type": Kind("error", "The record is {found}, not an object.", "Remove or fix the record."),
    "no_parts": Kind(
        "warning",
        "The record has no parts in {field}; the parts of other records are the items of another file.",
        "It was left out; ignore this if nobody described it.",
    ),
    "empty_record": Kind("warning", "The record has no captions.", "Add its references; the record was left out."),
    "repeated_key": Kind(
        "warning", "A key occurs twice in one object; only its last value was read.", "Give each id or run one entry."
    ),
    "second_header": Kind(
        "warning",
        "There is a second header line: where they differ on the data set or on a run, the first one counts.",
        "Write one header line; the runs that differ are listed under id.",
    ),
    "second_field": Kind(
        "warning", "`{field}` is given beside `{used}`; only `{used}` was read.", "Keep one of the two."
    ),
    "misspelt_field": Kind("warning", "There is no field `{field}`; it was not read.", "Did you mean `{meant}`?"),
    "names_merged": Kind(
        "warning",
        "The run names {first} and {second} differ only in spaces or unprintable characters; they were read as one.",
        "Give the runs distinct names if they are two.",
    ),
    "ids_trimmed": Kind(
        "note",
        "Ids begin or end with spaces, or hold characters that cannot be shown; they were read without them.",
        "Nothing to do if the same items are meant.",
    ),
    "missing_id": Kind("error", "The record has no id.", "Add an `id`; the record was left out."),
    "filled_down": Kind(
        "warning",
        "Only the first row of a block has a value in {columns}, as below merged cells.",
        "By default the other rows have the value of the row above; undo the repair to read these cells as empty.",
        "fill_down",
    ),
    "bad_id": Kind(
        "error",
        "The id is {found}; an id is text or a whole number.",
        "Write the id as text; the record was left out.",
    ),
    "duplicate_id": Kind(
        "warning",
        "The same id occurs in more than one record.",
        "By default the first record is kept; the repair keeps the captions of all.",
        "merge_duplicates",
    ),
    "not_text": Kind("error", "A {kind} is {found}, not text.", "Fix the caption; it was left out."),
    "ignored_field": Kind("warning", "`{field}` was ignored: {why}.", "Fix or remove it."),
    "logprobs_incomplete": Kind(
        "note",
        "Run {run} lacks {fields} for {n:,} of {total:,} items, while other log-probabilities are given.",
        "Add them, or leave out all: metrics that need them skip these items.",
    ),
    "bad_settings": Kind(
        "warning", "Run {run}: `{field}` is {found}, not {expected}; it was ignored.", "Correct the run settings."
    ),
    "misspelt_setting": Kind(
        "warning", "There is no run setting `{field}`; it was ignored.", "Did you mean `{meant}`?"
    ),
    "unknown_setting": Kind(
        "note", "`{field}` is not a run setting that pages use; it was ignored.", "Run settings are {known}."
    ),
    "settings_from_name": Kind(
        "note", "Run settings were read from the name of the run.", "Correct the run settings where this is wrong."
    ),
    "ignored_columns": Kind(
        "note",
        "Columns without a known meaning were not used: {columns}.",
        "If they matter, give them a role on the Data page, or with --map, such as candidates=FIELD, setting=FIELD, "
        "metadata=FIELD, rating=FIELD or score=FIELD.",
    ),
    "keys_read": Kind(
        "note",
        "Keys of objects within objects, such as {inner}, were read as ids of items; the keys around them, such as "
        "{outer}, as {read}.",
        "If that is wrong, write the keys into the records as fields, such as `id`, `run` or `video`.",
    ),
    "languages_read": Kind(
        "note",
        "The captions of each language ({languages}) were read as items of their own.",
        "To compare the captions in one language, state their field, on the Data page or with --map, such as {option}.",
    ),
    "repeated_texts": Kind(
        "note",
        "Texts in {columns} repeat or contain the captions in {used}; they were not read.",
        "If they are the captions to compare, say so on the Data page or with --map {option}.",
    ),
    "fields_left": Kind(
        "note",
        "Fields within lists of the records, or beside the records, were not read: {columns}.",
        "If they matter, write them into the records, as fields of their own.",
    ),
    "references_unread": Kind(
        "warning",
        "`{columns}` is named like captions by people, but holds single words beside longer captions; it was not read.",
        "If people wrote them, say so on the Data page or with --map {option}.",
    ),
    "metadata_columns": Kind(
        "note",
        "Columns that are the same in all rows of an item were read as its metadata: {columns}.",
        "Slices and clusters may use them. Give a column of captions or of a setting its role on the Data page, or "
        "with --map references=FIELD.",
    ),
    "differing_columns": Kind(
        "note",
        "Columns that differ between tables for one item were not used: {columns}.",
        "Nothing to do if they describe the captions; make the tables agree if they describe the items.",
    ),
    "misspelt_columns": Kind(
        "warning",
        "Columns without a known meaning were not used: {columns}.",
        "Rename them if they matter.",
    ),
    "line_count": Kind(
        "error",
        "The file has {n} lines, but {first} has {expected}; line-aligned files must have the same number.",
        "Make the files line up; the lines of this file were not used.",
    ),
}
KINDS: dict[str, Kind] = {**FILES, **_READING, **PICTURES, **MERGING, **SCORES, **JUDGMENTS, **CAPTIONS}

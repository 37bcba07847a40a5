"""Kinds of findings about whole files: those that cannot be opened, archives, and study bundles."""

from __future__ import annotations

from data.finding_kinds.kind import Kind

FILES: dict[str, Kind] = {
    "columns_named": Kind(
        "note",
        "The columns have no names; the names in {other} were taken.",
        "If they are the names of something else, leave that file out.",
    ),
    "unreadable": Kind("error", "The file cannot be read: {why}.", "Check that it exists and may be read."),
    "archive_broken": Kind("error", "The archive is damaged or not supported: {why}.", "Pack the files again."),
    "archive_too_large": Kind(
        "error", "The archive is too large when unpacked: {why}.", "Unpack it and give the files themselves."
    ),
    "too_large": Kind(
        "error",
        "The file is too large to read: {why}.",
        "Unpack it if it is compressed; otherwise give it in parts, or without what the study does not need.",
    ),
    "bundle_damaged": Kind(
        "warning",
        "{n:,} of the numbers in the bundle are damaged, or cannot be numbers of this study; they were not used.",
        "They are computed here instead; ask for the bundle again if that takes long.",
    ),
    "bundle_idf": Kind(
        "warning",
        "The document frequencies of CIDEr-D in the bundle were not used: {why}.",
        "CIDEr-D counts in the references of this study; give the file of frequencies if you have it.",
    ),
    "bundle_given": Kind(
        "warning",
        "{what} in the bundle, supplied for COSMic, was not used: {why}.",
        "Give the file itself on Coherence, or ask for the bundle again.",
    ),
    "bundle_marks": Kind(
        "warning",
        "The hidden runs, stars and notes in the bundle were not used: {why}.",
        "Every run is shown; ask for the bundle again to have them.",
    ),
    "bundle_unknown": Kind(
        "note",
        "{n:,} of the entries in the bundle are unknown here, or belong to other captions.",
        "They were not used; what is missing is computed here.",
    ),
    "archive_path": Kind(
        "error", "Not read, since its name points outside the archive.", "Pack the files again under plain names."
    ),
    "archive_skipped": Kind(
        "warning", "Not read, since it is {what} inside an archive.", "Give the file itself if it belongs to the study."
    ),
    "hidden_file": Kind(
        "note",
        "Hidden files in the archive or folder were not read: operating systems add them.",
        "Nothing to do; a file that belongs to the study needs a name and folders without a dot in front.",
    ),
    "other_file": Kind(
        "note",
        "Files of kinds that are never read, such as pickles, were left out of the archive or folder.",
        "Nothing to do unless they hold captions: then save them as JSON, CSV, TSV, Parquet or text.",
    ),
    "prose": Kind(
        "note",
        "Judging by its name, the file describes other files; it was not read as captions.",
        "Nothing to do; rename it if it holds captions.",
    ),
    "empty_file": Kind("error", "The file is empty.", "Export it again."),
    "pointer": Kind(
        "error",
        "The file is a pointer of Git LFS or git-annex, not the file itself.",
        "Fetch its content: git lfs pull, or git annex get.",
    ),
    "binary": Kind("error", "This is {what}, not a file of captions.", "Save it as JSON, CSV, TSV, Parquet or text."),
    "encoding": Kind(
        "warning", "The text is not UTF-8; it was read as {encoding}.", "Check accented letters, or save it as UTF-8."
    ),
    "log_records": Kind(
        "warning",
        "{n:,} of {total:,} lines hold fields among other text, as in a log: {fields}; the rest was not read.",
        "Check the captions; better, export them as JSON Lines or CSV.",
    ),
    "messages_left": Kind(
        "warning",
        "Lines that are not JSON, such as {example}, were left out: {n:,} of {total:,}.",
        "Nothing to do unless captions are among them.",
    ),
    "label_blocks": Kind(
        "note",
        "Blocks of lines that begin with labels were read as {n:,} records: {fields}.",
        "Check the captions; if each line is a caption, state the format `lines`.",
    ),
    "log_lines": Kind(
        "error",
        "The lines begin as those of a program's log do, such as {example}: all their words would be scored.",
        "Write an id, a tab and the caption in each line, or JSON Lines; if they are captions, state the format "
        "`lines`.",
    ),
    "segments_alone": Kind(
        "error",
        "The texts are segments of one recording, with the times at which they begin and end, and nothing names the "
        "recording; the file was not read.",
        "Give the segments of all recordings in one file, with a field such as `audio_id`. If every file has the same "
        "segments in the same order, --map {option} reads them by number.",
    ),
    "requests": Kind(
        "note",
        "The file states which picture each answer in {other} describes; its questions are not captions.",
        "Nothing to do if this is what a model was asked.",
    ),
    "requests_alone": Kind(
        "note",
        "The file holds requests to a model, without its answers; no captions were read from it.",
        "Give the answers, unless they are among the files: each answer gets the settings of the request with its id.",
    ),
    "requests_joined": Kind(
        "note",
        "Settings that {other} states for each answer were read: {fields}.",
        "Nothing to do if this is what the model was asked.",
    ),
}

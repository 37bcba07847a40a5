"""Kinds of findings about captions: their contents, their number, and the references that they repeat."""

from __future__ import annotations

from data.finding_kinds.kind import Kind

MAX_CAPTION, MOST_CAPTION = 2_000, 100_000

CAPTIONS: dict[str, Kind] = {
    "sources_left": Kind(
        "note",
        "Judging by its name, the file holds the sources of the texts; its lines are metadata of the items.",
        "If a model or people wrote these lines as captions, rename the file, or give it as references.",
    ),
    "odd_list": Kind(
        "warning",
        "A {kind} begins and ends as a list does, but cannot be read as one; it counts as one caption.",
        "Write the list as JSON, or each caption in a row of its own.",
    ),
    "bare_lists": Kind(
        "note",
        "Cells of {column} were read as lists, with commas between the texts.",
        "If such a text has commas of its own, write the lists as JSON.",
    ),
    "pairs_of_runs": Kind(
        "note",
        "Each record has a pair of runs, which repeat their captions: the first part, {item}, of codes such as "
        "{pair} was read as the id.",
        "If each pair is an item of its own, give the captions different texts, or the ids no common part.",
    ),
    "shared_cells": Kind(
        "note",
        "The first cell of each line, such as {example}, is the same in another file: the texts were made from it, and "
        "only the second cell was read.",
        "If people or a model wrote the first cells, too, save them as a file of their own.",
    ),
    "tabs_in_lines": Kind(
        "warning",
        "Lines of the text contain tabs, which were read as part of the caption.",
        "Write `id`, a tab and the caption in every line, with an id of its own for each, or a table with a header.",
    ),
    "withdrawn": Kind(
        "note",
        "A caption or judgment of a person is marked `{field}`: it does not count.",
        "It was left out, as by the data set's own evaluation; remove the mark to count it.",
    ),
    "ids_by_field": Kind(
        "note",
        "The file shares no id with {other}; records with the same {field} were read as the same items.",
        "Give each record an `id` of its own if they are different items.",
    ),
    "taken_as_references": Kind(
        "warning",
        "No file states which captions people wrote; these, {n} per item, were taken as people's.",
        "If a model wrote them, say so: give the captions by people as references.",
    ),
    "folder_of_people": Kind(
        "note",
        "Captions in the folder {folder} were read as people's.",
        "If a model wrote them, name the folder after the model.",
    ),
    "taken_as_run": Kind(
        "warning",
        "Numbered captions are people's in most files, but no other file has a run: these were taken as a run's.",
        "If people wrote them, give the file as references, too.",
    ),
    "several_in_one": Kind(
        "warning",
        "Most captions {whose} may hold several captions, separated by `{mark}`; each was read as one.",
        "Give every caption its own record or column, or write a JSON list in the cell.",
    ),
    "captions_split": Kind(
        "warning",
        "Most texts {whose} hold several captions, separated by {mark}.{also}",
        "By default each is a caption of its own; undo the repair if a text is one caption.",
        "split_captions",
    ),
    "sentences_listed": Kind(
        "warning",
        "Captions {whose} of one item differ in number, and have hardly any words in common: they may be the "
        "sentences of one text, stored as a list.",
        "Each is a caption of its own; the repair joins them.",
        "join_sentences",
    ),
    "references_left": Kind(
        "warning",
        "The names of {columns} suggest captions by people, too; only {used} was read as references.",
        "If they are references, name all of them: --map {option}.",
    ),
    "texts_alike": Kind(
        "warning",
        "Nothing was read as captions by people, but texts like those of the runs are in {columns}.",
        "If people wrote them, say so: --map {option}. If runs did: --map {runs}.",
    ),
    "numbered_columns": Kind(
        "warning",
        "Columns that differ only in a number, {columns}, were read as captions of one run.",
        "If each is a run, rename them to `model_1` and so on, or say so: --map {option}.",
    ),
    "numbers_alone": Kind(
        "error",
        "All captions are numbers, such as {example}; these seem to be scores.",
        "Put them into a column beside the captions that they score, and name it: --map score=FIELD. "
        "If they are captions, say which field holds them, on the Data page or with --map candidates=FIELD.",
    ),
    "references_repeated": Kind(
        "note",
        "References are repeated within their item, as when every row lists them again.",
        "Each was read once; give every reference a row or cell of its own if people wrote the same text twice.",
    ),
    "events_joined": Kind(
        "note",
        "The events of one sample were read as one record: {kinds}; {others:,} other records belong to no sample.",
        "Where two events of a sample with the same name differ, the later one counts.",
    ),
    "captions_joined": Kind(
        "note",
        "A caption by a run is repeated for each reference of its item, as in joined tables.",
        "It was read once; give captions and references rows of their own if the run generated it that often.",
    ),
    "empty_reference": Kind("warning", "A reference is empty.", "By default it is left out.", "drop_empty_references"),
    "empty_candidate": Kind(
        "warning",
        "A caption of run {run} is empty.",
        "It is kept and scored as an empty caption; the repair leaves it out.",
        "drop_empty_candidates",
    ),
    "line_breaks": Kind("warning", "A {kind} has line breaks.", "By default they become spaces.", "join_lines"),
    "long_caption": Kind(
        "note",
        f"A {{kind}} is longer than {MAX_CAPTION:,} characters.",
        "It is scored as a whole; the repair cuts it there.",
        "cut_long",
    ),
    "endless_caption": Kind(
        "error",
        f"A {{kind}} is longer than {MOST_CAPTION:,} characters; it was left out.",
        f"Choose the field that holds the captions; the repair cuts the text to {MAX_CAPTION:,} characters.",
        "cut_long",
    ),
    "thoughts": Kind(
        "warning",
        "A {kind} holds a model's thoughts (`<think>`), which count as its words.",
        "The repair leaves them out.",
        "drop_thoughts",
    ),
    "special_tokens": Kind(
        "warning",
        "A {kind} holds special tokens or the template of a model, such as `<end>`, `<unk>` or `ASSISTANT:`, which "
        "count as words.",
        "The repair leaves them out.",
        "drop_tokens",
    ),
    "wrapped": Kind(
        "warning",
        "A {kind} is wrapped in JSON, markdown, HTML entities (`&amp;`) or talk (`Here is a caption:`), which "
        "count as words.",
        "The repair takes the caption out where that is possible.",
        "unwrap",
    ),
    "prompt_repeated": Kind(
        "warning",
        "Most captions of run {run} begin with the same words, {text}, as when a prompt is repeated before each "
        "answer: they count as words.",
        "The repair leaves them out.",
        "unwrap",
    ),
    "null_text": Kind(
        "warning",
        "A caption {whose} is the text {text}, which programs write for missing values.",
        "It is scored as this word; the repair leaves it out. Better, export the captions again.",
        "drop_non_captions",
    ),
    "refusal": Kind(
        "warning",
        "A caption {whose} is a refusal or an error message.",
        "It is scored as a caption; the repair leaves it out, and its item where the run has no other caption for it.",
        "drop_non_captions",
    ),
    "id_as_caption": Kind(
        "warning",
        "A caption {whose} equals the id of its item.",
        "This is a placeholder: export the captions again. The repair leaves it out.",
        "drop_non_captions",
    ),
    "no_blanks": Kind(
        "warning",
        "A caption {whose} has no spaces between words: BLEU, CIDEr-D, ROUGE-L and other metrics see one word.",
        "The repair takes characters for words (`tok:zh` for Chinese, else `tok:char`); or put spaces between words "
        "with a segmenter for the language, in captions and references alike.",
        "character_tokens",
    ),
    "not_english": Kind(
        "warning",
        "{why}: METEOR, SPICE, scene graphs{encoder} are made for English.",
        "Use other metrics of words; or score with an encoder for this language, which `--encoder` names on the "
        "command line (a SentenceTransformer by name or folder).",
    ),
    "beyond_encoder": Kind(
        "warning",
        "A caption {whose} is longer than the {tokens} tokens that {encoder} reads: differences after them "
        "change no metric of its embeddings.",
        "Compare such captions by metrics of words; or score with an encoder that reads more, or in windows, which "
        "`--encoder` names on the command line (`--encoder windows:all-MiniLM-L6-v2`).",
    ),
    "repeated_records": Kind(
        "warning",
        "Records of run {run} repeat id and caption word for word, while other items have fewer captions (padding of a "
        "distributed sampler?).",
        "Each counts; the repair reads them once.",
        "read_once",
    ),
    "repeated_in_file": Kind(
        "note",
        "Captions of run {run} occur word for word in {other} or a file beside it, too (padding of a distributed "
        "sampler?).",
        "They were read once; if a model wrote them twice, give the runs of the two files different names.",
    ),
    "bad_characters": Kind(
        "warning",
        "A {kind} has control characters or half characters (lone surrogates).",
        "They were replaced by U+FFFD.",
    ),
    "mojibake": Kind(
        "warning",
        "A {kind} looks as if it was decoded wrongly (such as Ã© for é).",
        "The repair decodes it again.",
        "fix_mojibake",
    ),
    "outer_spaces": Kind(
        "note",
        "A {kind} begins or ends with spaces.",
        "Metrics ignore them, except for the compression ratio; the repair removes them.",
        "trim_captions",
    ),
    "unequal_counts": Kind(
        "warning",
        "The number of captions for each item differs: {counts}. TRM and set metrics depend on it.",
        "The repair draws equal numbers of captions of each item from every run that has two or more (seeded).",
        "equal_counts",
        "Compare set metrics only between runs with equal numbers.",
    ),
    "one_or_several": Kind(
        "warning",
        "Runs with one caption for each item: {one}, runs with several: {several}. Metrics computed from all "
        "captions of a run together cannot compare these.",
        "The repair draws one caption of each item from every run (seeded); TRM and diversity, which need two, then "
        "have no value.",
        "one_each",
    ),
    "few_references": Kind(
        "warning",
        "The item has fewer than two references; TRM and other set metrics need two.",
        "The repair leaves such items out.",
        "drop_few_references",
        "Add references; metrics of single captions work without them.",
    ),
    "few_candidates": Kind(
        "note",
        "The run has one caption for some or all items; TRM and diversity need two.",
        "Generate more captions if you want those metrics.",
    ),
    "leak": Kind(
        "warning",
        "Run {run} repeats a reference {how} on {share} % of the items: the references may have leaked.",
        "The repair leaves such runs out.",
        "drop_leaking_runs",
    ),
    "shifted_run": Kind(
        "warning",
        "From item {item} on, captions of run {run} fit the references of other items better than their own (the "
        "first fits the references of {of}): lines or ids are shifted by {by:,}.",
        "Look for a missing or additional line in either file, or for ids counted from 0 in one and from 1 in the "
        "other, and export again; scores of this run mean nothing.",
    ),
    "run_at_chance": Kind(
        "warning",
        "Captions of run {run} do not detectably fit their own items better than others. With the references of their "
        "own items they share words by a cosine of {own}, with those of others by {others}; a difference of {least} "
        "would be found in 80 % of files.",
        "Check that its ids or lines are in the order of the references, and in the same language. If they are, "
        "its model says little or nothing about the items: `score --chance` tells whether its scores are no better "
        "than chance.",
    ),
    "run_not_nearer": Kind(
        "warning",
        "Captions of run {run} share no more words with their own items' references than with other items' references.",
        "Check that captions and references were read from the right fields, that ids or lines are in the same order, "
        "and that both are in the same language.",
    ),
    "degenerate_run": Kind(
        "warning",
        "Run {run} {what}.{also}",
        "Check how it was generated and exported before you believe its scores.",
    ),
    "same_captions": Kind(
        "warning",
        "Runs have the same captions for every item: {names}.",
        "Was one exported twice, or is its decoder deterministic? Leave out all but one.",
    ),
    "duplicate_items": Kind(
        "warning",
        "{n:,} items have the same captions by people as another: they are not independent.",
        "By default each set of them is one cluster in intervals and tests; leave out all but one if they are the "
        "same item.",
        "cluster_duplicates",
        "Leave out all but one if they are the same item.",
    ),
    "near_duplicates": Kind(
        "warning",
        "{n:,} items have nearly the same captions by people as another: they may not be independent.",
        "Leave out all but one if they are the same item; the repair takes each set of them as one cluster.",
        "cluster_near_duplicates",
        "Leave out all but one if they are the same item.",
    ),
    "same_pictures": Kind(
        "warning",
        "{n:,} items have the same picture as another, under another name: they are not independent.",
        "Leave out all but one if they are the same item; the repair takes each set of them as one cluster.",
        "cluster_same_pictures",
        "Leave out all but one if they are the same item.",
    ),
    "clusters": Kind(
        "note",
        "The {n:,} items are in {k:,} clusters by `{field}`: items of one cluster are not independent.",
        "Intervals and tests draw, swap and permute whole clusters. Choose another field, or none, on Data or with "
        "--cluster.",
    ),
    "clusters_few": Kind(
        "note",
        "The {n:,} items share {k:,} values of `{field}`, too few to take them as clusters by default.",
        "If items with the same value are not independent, choose this field on Data or with --cluster {field}.",
    ),
    "coincidence": Kind(
        "note", "A caption equals a reference in {runs}.", "Nothing to do if this is chance; otherwise it is a leak."
    ),
}

"""Findings about several files together: runs of the same name, ids that must match, and the items left in common."""

from __future__ import annotations

from data.finding_kinds.kind import Kind

MAX_RUNS = 500
"""Maximum number of runs, enough for twenty models at five temperatures with five decoders. If there seem to be more,
items or captions have usually been mistaken for runs.
"""

MERGING: dict[str, Kind] = {
    "people_as_run": Kind(
        "warning",
        "Captions named {names} were read as a model's, and there are none by people.",
        "If people wrote them, the repair takes them as people's; or move them to a file of their own, references.csv.",
        "people_as_references",
    ),
    "people_as_run_too": Kind(
        "note",
        "Captions named {names} were read as a model's, beside captions by people.",
        "Nothing to do if they are to be compared as a model's are; the repair adds them to people's.",
        "people_as_references",
    ),
    "people_taken": Kind(
        "note",
        "Captions named {names} were read as people's.",
        "Undo the repair if a model wrote them.",
        "people_as_references",
    ),
    "same_file_twice": Kind(
        "warning",
        "{one} has the same content as {other}.",
        "By default it is read once; remove one of the two.",
        "drop_same_files",
    ),
    "ids_matched": Kind(
        "note",
        "Ids differ from those of the references in {how}.",
        "By default they are matched; check that the same items are meant.",
        "match_ids",
    ),
    "ids_unclear": Kind(
        "warning",
        "Several ids of the file differ from one of the references in folders, case or the like: none was matched.",
        "Write them as the references do, including what tells the items apart.",
    ),
    "run_name_taken": Kind(
        "warning", "Another file has a run named {run} too; this one is called {new}.", "Give the runs distinct names."
    ),
    "other_settings": Kind(
        "warning",
        "Run {run} has the {field} {found} here, but {kept} in {other}, which counts.",
        "Correct the run settings, or give the runs distinct names.",
    ),
    "facts_differ": Kind(
        "warning",
        "`{field}` differs from the value in an earlier record of the same item, which counts.",
        "Make the records of the item agree.",
    ),
    "references_joined": Kind(
        "note",
        "The references differ from those of an earlier file for the same items.",
        "The references of both files are used.",
    ),
    "references_of_others": Kind(
        "warning",
        "The references share no more words with the references of {other} for the same ids than for different ids: "
        "two data sets may number their items alike. The references of both count.",
        "Compare one data set at a time, or write ids that differ, such as coco_1 and clotho_1. Nothing is wrong if "
        "both describe the same items, such as in two languages.",
    ),
    "records_joined": Kind(
        "note",
        "{n:,} JSON files hold the record of one item each: they were read as the records of one file.",
        "If each is a run, write its captions as a list or by id.",
    ),
    "samples_joined": Kind(
        "note",
        "Ids end in a mark and a number (dog#1) that counts the captions of an item: they were read as its captions.",
        "If each is an item by itself, give it an id without such a number.",
    ),
    "samples_by_file": Kind(
        "note",
        "The names of {files} number samples: their captions of an item were read as those of one run.",
        "If each file is a run by itself, give it a name without the word sample.",
    ),
    "folders_as_runs": Kind(
        "note",
        "Ids begin with folders that the references lack, each with the same items; each was read as a run: {runs}.",
        "If the folders tell items apart, write them into the ids of the references, too.",
    ),
    "predictions_without_references": Kind(
        "warning", "Run {run} describes items that have no references.", "They were left out; add their references."
    ),
    "references_without_predictions": Kind(
        "note", "{n:,} of {total:,} items with references are described by no run.", "They were left out."
    ),
    "no_references": Kind(
        "warning",
        "There are no captions by people: metrics that compare with them, such as BLEU, CIDEr-D and TRM, cannot be "
        "computed.",
        "Add them with the same ids, in a file of their own such as references.csv (see the templates).",
    ),
    "no_predictions": Kind(
        "note",
        "There are only references, and no run.",
        "Add the predictions of at least one model to compare. If a file here holds them, give the captions by "
        "people as references.",
    ),
    "too_many_runs": Kind(
        "error",
        f"There are {{n:,}} runs ({{names}}); at most {MAX_RUNS} can be compared at once.",
        "Give fewer runs at a time. If these are not the names of runs, see how `candidates` names them (templates).",
    ),
    "no_items": Kind(
        "error",
        "No captions could be read from the given files.",
        "See the other findings. Scores, ratings, preferences and vectors need the captions to which they belong.",
    ),
    "run_empty": Kind(
        "error", "Run {run} describes none of the items with references; it was left out.", "Check that the ids agree."
    ),
    "run_lacks_items": Kind(
        "warning", "Run {run} has no captions for {n:,} of {total:,} items.", "Generate the missing captions."
    ),
    "item_sets_differ": Kind(
        "warning",
        "The runs describe different items: {n:,} of {total:,} are described by every run.",
        "By default only those {n:,} are used; the repair keeps {widest} the most items ({items:,}).",
        "widest_runs",
    ),
    "run_by_model": Kind(
        "note",
        "Scores or ratings name run {run} by its model, {model}; no other run is of this model.",
        "Nothing to do if this run is meant; otherwise write the names of the runs.",
    ),
    "runs_alike": Kind(
        "warning",
        "Are these the same run? Their names differ only in case, spaces, marks or the form of numbers, and they "
        "describe different items: {names}.",
        "The repair makes them one run each, with all captions; rename them if they are different.",
        "join_alike_runs",
    ),
    "runs_alike_beside": Kind(
        "warning",
        "The names of these runs differ only in case, spaces, marks or the form of numbers, and they describe the same "
        "items: {names}. They are compared as different runs.",
        "Rename them if they are different, or leave one of them out if they are the same.",
    ),
    "runs_joined": Kind(
        "warning",
        "No item is described by two of the {runs}: these are different data, not models of the same data.",
        "By default they are one run, {name}, and the field `run` of the items' metadata names the original run; if "
        "they should share items, check that the ids agree.",
        "join_runs",
    ),
    "no_common_items": Kind(
        "error",
        "No item is described by every run.",
        "The repair keeps only {widest} the most items ({items:,}).",
        "widest_runs",
    ),
}
